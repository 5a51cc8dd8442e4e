package k6x

import (
	"io"
	"os"
	"sync/atomic"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/ext"
	"go.k6.io/k6/v2/lib"
)

var process atomic.Pointer[state.GlobalState] //nolint:gochecknoglobals // there is one process

// failedExit is the exit code requested by FailExit, or zero.
var failedExit atomic.Int64 //nolint:gochecknoglobals // there is one process

// Watch stores the global state, which k6 passes to the subcommands of extensions at startup. It
// also replaces k6's exit function: k6 checks a test's status before the summary, so a report that
// cannot be written later can change the exit code only there.
func Watch(gs *state.GlobalState) {
	process.Store(gs)
	exit := gs.OSExit
	gs.OSExit = func(code int) { exit(exitCode(code, int(failedExit.Load()))) }
}

// noCode is k6's exit code of an error without one.
const noCode = -1

// exitCode chooses between k6's code and the one that FailExit requested. A crossed gate takes
// precedence over a run marked as failed, and an abort over the exception that it explains.
func exitCode(of, asked int) int {
	if of == 0 || of == noCode && asked != 0 ||
		of == int(exitcodes.ScriptException) && asked == int(exitcodes.ScriptAborted) ||
		of == int(exitcodes.MarkedAsFailed) && asked == int(exitcodes.ThresholdsHaveFailed) {
		return asked
	}

	return of
}

// FailExit makes k6 exit with code in place of 0. The first call wins, but a crossed gate takes
// precedence over a mark.
func FailExit(code exitcodes.ExitCode) {
	for {
		asked := failedExit.Load()
		if failedExit.CompareAndSwap(asked, int64(exitCode(int(asked), int(code)))) {
			return
		}
	}
}

// LogInstead makes k6 log text in place of the error line.
func LogInstead(line, text string) {
	if gs := process.Load(); gs != nil {
		gs.Logger.AddHook(&replacement{line, text})
	}
}

// replacement is a hook of logrus.
type replacement struct{ line, text string }

func (*replacement) Levels() []logrus.Level { return []logrus.Level{logrus.ErrorLevel} }

func (r *replacement) Fire(entry *logrus.Entry) error {
	if entry.Message == r.line {
		entry.Message = r.text
		delete(entry.Data, "hint")
	}

	return nil
}

// Stdout returns k6's standard output.
func Stdout() io.Writer {
	if gs := process.Load(); gs != nil {
		return gs.Stdout
	}

	return os.Stdout
}

// Logger returns k6's logger, or the standard one outside k6.
func Logger() logrus.FieldLogger {
	if gs := process.Load(); gs != nil {
		return gs.Logger
	}

	return logrus.StandardLogger()
}

// version is this repository's version, such as v0.1.0. The linker sets it; it may be empty.
var version string

// ShowVersion makes `k6 version` show the repository's version for its extensions. Binaries built
// from a local folder would show "(devel)".
func ShowVersion() {
	if version == "" {
		return
	}
	for _, extension := range ext.GetAll() {
		if extension.Path == "github.com/xk6-sweep/xk6-sweep" {
			extension.Version = version
		}
	}
}

const settingPrefix = "SWEEP_"

// Setting returns a script's setting: the value of `-e name=value`, or else of the environment
// variable named environment, by default SWEEP_ and the name. env looks names up as __ENV does. An
// exported variable with the setting's short name does not count.
func Setting(
	env func(name string) (string, bool), test *lib.TestPreInitState, name, environment string,
) (value string, is bool) {
	if environment == "" {
		environment = settingPrefix + name
	}
	if value, is = env(name); is && (name == environment || !exported(test, name, value)) {
		return value, true
	}

	return env(environment)
}

// exported reports whether a value comes from the environment and not from -e.
func exported(test *lib.TestPreInitState, name, value string) bool {
	if test.LookupEnv == nil {
		return false
	}
	if own, is := test.LookupEnv(name); !is || own != value {
		return false
	}
	gs := process.Load()

	if gs == nil {
		return true
	}
	for i := range gs.CmdArgs {
		if assignment(gs.CmdArgs, i) == name+"="+value {
			return false
		}
	}

	return true
}
