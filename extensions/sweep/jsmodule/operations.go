package jsmodule

import (
	"context"
	"errors"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/fault"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// operations are those of one function of the script's in a step.
type operations struct {
	module  *module
	ctx     context.Context //nolint:containedctx // that of one call of sweep.run
	session *k6glue.Session
	fn      sobek.Callable
	// first tells that fn has not been called yet: its first call shows whether it leaves anything
	// behind.
	first bool
}

// operations returns a function that does one operation, for the client's Run.
func (m *module) operations(ctx context.Context, session *k6glue.Session, fn sobek.Callable) func() error {
	o := &operations{module: m, ctx: ctx, session: session, fn: fn, first: true}

	return o.run
}

// run does one operation. It has failed when fn throws, or when a sample that it pushed tells so.
// When the VU's context has ended, cut is told, and the operation was cut off, whatever it says.
func (o *operations) run() error {
	before := 0
	if o.first {
		before = o.module.begun.Count()
	}
	value, err := o.call()
	failed := o.session.Tap.Fault()
	if o.ctx.Err() != nil {
		cut(o.session)

		return context.Cause(o.ctx)
	}

	var interrupted *sobek.InterruptedError
	switch {
	case errors.As(err, &interrupted):
		return measure.Stop(err) // test.abort or the like
	case err != nil:
		failed = fault.Thrown(err)
	case isPromise(value):
		return measure.Stop(errPromise)
	case o.first && failed == nil && o.module.begun.Count() > before:
		return measure.Stop(errLeftBehind)
	}
	o.first = false

	return failed
}

// call calls fn. A panic is an error.
func (o *operations) call() (value sobek.Value, err error) {
	defer crash.Catch(&err)

	return o.fn(sobek.Undefined())
}
