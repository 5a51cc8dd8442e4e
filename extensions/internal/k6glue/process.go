package k6glue

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

// process is the state of this k6 process; nil in tests, which run no k6.
var process atomic.Pointer[state.GlobalState] //nolint:gochecknoglobals // there is one process

// failedExit is the exit code that FailExit has asked for; zero: none.
var failedExit atomic.Int64 //nolint:gochecknoglobals // there is one process

// Watch learns of the k6 process, whose state k6 gives to the subcommands of extensions before it
// does anything else.
//
// k6 takes its last look at a test's status before the summary. A report that a full disk cuts
// after that can change the exit code in one place only: in the function that k6 exits through.
func Watch(gs *state.GlobalState) {
	process.Store(gs)
	exit := gs.OSExit
	gs.OSExit = func(code int) { exit(exitCode(code, int(failedExit.Load()))) }
}

// exitCode is that of a process for which k6 has one code, and FailExit was asked for another. Of a
// run that is marked as failed, a crossed gate says more.
func exitCode(of, asked int) int {
	if of == 0 || of == int(exitcodes.MarkedAsFailed) && asked == int(exitcodes.ThresholdsHaveFailed) {
		return asked
	}

	return of
}

// FailExit makes k6 exit with this code where it would exit with 0. The first call counts, but a
// crossed gate goes before a mark.
func FailExit(code exitcodes.ExitCode) {
	for {
		asked := failedExit.Load()
		if failedExit.CompareAndSwap(asked, int64(exitCode(int(asked), int(code)))) {
			return
		}
	}
}

// AtExit calls fn when k6 is about to exit, after the summary and the last progress line. ran tells
// whether the test came as far as its end; failed is the error that k6 ends with, or nil. AtExit
// returns false where no k6 runs.
func AtExit(fn func(ran bool, failed error)) bool {
	gs := process.Load()
	if gs == nil {
		return false
	}
	id, happened := gs.Events.Subscribe(testEndEvent, exitEvent)
	go func() {
		defer crash.Contain("waiting for the end of k6")
		defer gs.Events.Unsubscribe(id)
		ran := false
		for event := range happened {
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

// OnTestStart calls fn once with the time at which k6 starts the test, before setup. It does
// nothing where no k6 runs.
func OnTestStart(fn func(at time.Time)) {
	gs := process.Load()
	if gs == nil {
		return
	}
	id, happened := gs.Events.Subscribe(testStartEvent, exitEvent)
	go func() {
		defer crash.Contain("waiting for the start of a test")
		defer gs.Events.Unsubscribe(id)
		event, is := <-happened
		if !is {
			return
		}
		if event.Type == testStartEvent {
			contained(func() { fn(time.Now()) })
		}
		event.Done()
	}()
}

// exitError is the field Error of k6's event.ExitData, the type of which is internal.
func exitError(data any) error {
	value := reflect.Indirect(reflect.ValueOf(data))
	if value.Kind() != reflect.Struct || !value.FieldByName("Error").IsValid() {
		return nil
	}
	err, _ := value.FieldByName("Error").Interface().(error)

	return err
}

// Stdout is where k6 writes what people read.
func Stdout() io.Writer {
	if gs := process.Load(); gs != nil {
		return gs.Stdout
	}

	return os.Stdout
}

// Logger is that of the k6 process; where no k6 runs, the standard one.
func Logger() logrus.FieldLogger {
	if gs := process.Load(); gs != nil {
		return gs.Logger
	}

	return logrus.StandardLogger()
}
