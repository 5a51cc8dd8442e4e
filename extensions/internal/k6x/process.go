package k6x

import (
	"io"
	"os"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
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

// AtExit calls fn when k6 is about to exit, after the summary. ran reports whether the test reached
// its end; failed is k6's error or nil. AtExit returns false outside k6.
func AtExit(fn func(ran bool, failed error)) bool {
	gs := process.Load()
	if gs == nil {
		return false
	}
	id, received := gs.Events.Subscribe(testEndEvent, exitEvent)
	go func() {
		defer crash.Contain("waiting for the end of k6")
		defer gs.Events.Unsubscribe(id)
		ran := false
		for event := range received {
			last := event.Type == exitEvent
			if last {
				contained(func() { fn(ran, exitError(event.Data)) })
			}
			ran = true
			event.Done()
			if last {
				return
			}
		}
	}()

	return true
}

// OnTestStart calls fn once when the test starts, before setup. It does nothing outside k6.
func OnTestStart(fn func(at time.Time)) {
	gs := process.Load()
	if gs == nil {
		return
	}
	id, received := gs.Events.Subscribe(testStartEvent, exitEvent)
	go func() {
		defer crash.Contain("waiting for the start of a test")
		defer gs.Events.Unsubscribe(id)
		event, is := <-received
		if !is {
			return
		}
		if event.Type == testStartEvent {
			contained(func() { fn(time.Now()) })
		}
		event.Done()
	}()
}

// exitError returns the field Error of k6's internal event.ExitData.
func exitError(data any) error {
	value := reflect.Indirect(reflect.ValueOf(data))
	if value.Kind() != reflect.Struct || !value.FieldByName("Error").IsValid() {
		return nil
	}
	err, _ := value.FieldByName("Error").Interface().(error)

	return err
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
