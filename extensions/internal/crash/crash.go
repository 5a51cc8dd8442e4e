// Package crash makes errors of panics: k6 has no recover around what runs for a VU, and ends
// without a report. The stack goes to the log, once for each place that panics.
package crash

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
)

// Kind is the kind of the error of a panic, in modules whose errors have kinds.
const Kind = "internal"

// Error is a panic that was caught.
type Error struct {
	// Value is what the code has panicked with.
	Value any
}

func (e *Error) Error() string {
	return fmt.Sprintf("a fault in k6's extensions or in a library, not in the script or the server (its stack is in the log): %v", e.Value)
}

// Unwrap returns the error that the code has panicked with, if it is one.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)

	return err
}

// Catch makes *err the error of a panic. It is for defer.
func Catch(err *error) {
	if value := recover(); value != nil {
		*err = Caught(value)
	}
}

// Contain ends a panic of what nobody waits for, such as a goroutine. It is for defer; what says,
// in the log, whose it was.
func Contain(what string) {
	if value := recover(); value != nil {
		say(what, value)
	}
}

// Go calls do on a goroutine of its own, and contains its panic; what says, in the log, whose it
// was.
func Go(what string, do func()) {
	go func() {
		defer Contain(what)
		do()
	}()
}

// Is tells whether an error is that of a panic.
func Is(err error) bool { return errors.As(err, new(*Error)) }

// Guard calls do. Its error is that of do, or of its panic.
func Guard(do func() error) (err error) {
	defer Catch(&err)

	return do()
}

// Caught is the error of a panic that a deferred function has recovered from.
func Caught(value any) *Error { return CaughtFrom("an operation", value) }

// CaughtFrom is Caught; what says, in the log, whose panic it was.
func CaughtFrom(what string, value any) *Error {
	say(what, value)

	return &Error{value}
}

var (
	log  atomic.Pointer[func(text string)] //nolint:gochecknoglobals // of the process
	seen sync.Map                          //nolint:gochecknoglobals // the places whose stacks are in the log
)

// SetLog makes log what stacks are written to. Before, that is standard error.
func SetLog(to func(text string)) { log.Store(&to) }

// say writes the stack to the log, the first time that the code has panicked there.
func say(what string, value any) {
	if _, again := seen.LoadOrStore(place(), true); again {
		return
	}
	text := fmt.Sprintf("%s ended in a panic (said once for each place): %v\n%s", what, value, debug.Stack())
	if to := log.Load(); to != nil {
		(*to)(text)

		return
	}
	fmt.Fprintln(os.Stderr, text)
}

// place names where the code has panicked: some functions from there on.
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
