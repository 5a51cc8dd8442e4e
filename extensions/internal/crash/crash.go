// Package crash turns panics into errors where a VU calls an extension, and around the report: k6
// would lose the run's results. It logs the stack once for each place.
package crash

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
)

// Kind is the error kind of a panic, for modules whose errors have kinds.
const Kind = "internal"

// Error is a recovered panic.
type Error struct {
	// Value is the argument of panic.
	Value any
}

func (e *Error) Error() string {
	return fmt.Sprintf("a fault in k6's extensions or in a library, not in the script or the server (its stack is in the log): %v", e.Value)
}

// Unwrap returns Value if it is an error.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)

	return err
}

// Catch stores a panic in *err. Defer it.
func Catch(err *error) {
	if value := recover(); value != nil {
		*err = Caught(value)
	}
}

// Contain recovers and logs a panic. Defer it; what names the place in the log.
func Contain(what string) {
	if value := recover(); value != nil {
		say(what, value)
	}
}

// Guard returns do's error, or an error for its panic.
func Guard(do func() error) (err error) {
	defer Catch(&err)

	return do()
}

// Caught converts a recovered panic value into an error and logs it.
func Caught(value any) *Error { return CaughtFrom("an operation", value) }

// CaughtFrom is like Caught; what names the goroutine in the log.
func CaughtFrom(what string, value any) *Error {
	say(what, value)

	return &Error{value}
}

var (
	log  atomic.Pointer[func(text string)] //nolint:gochecknoglobals // of the process
	seen sync.Map                          //nolint:gochecknoglobals // the places whose stacks are in the log
)

// SetLog sets the function that logs stacks. The default is standard error.
func SetLog(to func(text string)) { log.Store(&to) }

func say(what string, value any) {
	if _, again := seen.LoadOrStore(place(), true); again {
		return
	}
	text := fmt.Sprintf("%s panicked (logged once per place): %v\n%s", what, value, debug.Stack())
	if to := log.Load(); to != nil {
		(*to)(text)

		return
	}
	fmt.Fprintln(os.Stderr, text)
}

func place() string {
	const depth = 64
	var callers [depth]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	var place strings.Builder
	panicked := false
	for kept := 0; kept < 6; {
		frame, more := frames.Next()
		if panicked && !strings.HasPrefix(frame.Function, "runtime.") {
			fmt.Fprintf(&place, "%s:%d ", frame.Function, frame.Line)
			kept++
		}
		panicked = panicked || frame.Function == "runtime.gopanic"
		if !more {
			break
		}
	}

	return place.String()
}
