package jsmodule

import (
	"context"
	"errors"
	"io/fs"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// Kinds of a SweepError, in the words of all modules.
const (
	kindUsage     = "usage"     // the call, or a file that it names, makes no sense here
	kindNotFound  = "not_found" // there is no such file
	kindCancelled = "cancelled" // the step or the test has ended
)

// throw hands an error on to JavaScript. One that interrupts the VU goes on doing so.
func throw(rt *sobek.Runtime, err error) {
	var interrupted *sobek.InterruptedError
	if errors.As(err, &interrupted) {
		panic(interrupted)
	}
	panic(newError(rt, err))
}

// newError is a SweepError, for a promise to be rejected with.
func newError(rt *sobek.Runtime, err error) *sobek.Object {
	return k6glue.NewError(rt, "SweepError", err.Error(), map[string]any{"kind": kindOf(err), "code": 0})
}

// ended is an error whose cause is the end of the step or of the test.
type ended struct{ error }

// Unwrap returns the cause.
func (e ended) Unwrap() error { return e.error }

// endedBy marks the error of a call during which the VU's context has ended.
func endedBy(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ended{err}
	}

	return err
}

func kindOf(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return kindNotFound
	case errors.As(err, new(ended)), errors.Is(err, context.Canceled):
		return kindCancelled
	default:
		return kindUsage
	}
}
