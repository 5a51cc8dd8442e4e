package jsmodule

import (
	"context"
	"errors"
	"io/fs"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// Kinds of a SweepError, common to all modules.
const (
	kindUsage     = "usage"     // invalid call, or invalid file
	kindNotFound  = "not_found" // no such file
	kindCancelled = "cancelled" // the step or the test has ended
)

// throw throws an error in JavaScript. An error that interrupts the VU stays an interrupt.
func throw(rt *sobek.Runtime, err error) {
	var interrupted *sobek.InterruptedError
	if errors.As(err, &interrupted) {
		panic(interrupted)
	}
	panic(newError(rt, err))
}

func newError(rt *sobek.Runtime, err error) *sobek.Object {
	return k6x.NewError(rt, "SweepError", err.Error(), map[string]any{"kind": kindOf(err), "code": 0})
}

// ended is an error caused by the end of the step or of the test.
type ended struct{ error }

// Unwrap returns the cause.
func (e ended) Unwrap() error { return e.error }

// endedBy marks the error of a call whose VU context has ended.
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
