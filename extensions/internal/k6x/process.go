package k6x

import (
	"io"
	"os"
	"sync/atomic"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/errext/exitcodes"
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
