package jsmodule

import (
	"context"
	"errors"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

type operations struct {
	module  *module
	ctx     context.Context //nolint:containedctx // for one call of sweep.run
	session *k6x.Session
	fn      sobek.Callable
	first   bool
}

// operations returns a function for the client's Run that does one operation.
func (m *module) operations(ctx context.Context, session *k6x.Session, fn sobek.Callable) func() error {
	o := &operations{module: m, ctx: ctx, session: session, fn: fn, first: true}

	return o.run
}

// run does one operation. It fails if fn throws or a sample shows a failure. If the VU's context
// has ended, the operation was cut off, whatever its result.
func (o *operations) run() error {
	before := 0
	if o.first {
		before = o.module.begun.Count()
	}
	value, err := o.call()
	failed := o.session.Tap.Fault()
	o.session.Client.Requested(o.session.Tap.Requested())
	if o.ctx.Err() != nil {
		cut(o.session)

		return context.Cause(o.ctx)
	}

	var interrupted *sobek.InterruptedError
	switch {
	case errors.As(err, &interrupted):
		return measure.Stop(err) // such as test.abort
	case err != nil:
		failed = testrun.Thrown(err)
	case isPromise(value):
		return measure.Stop(errPromise)
	case o.first && failed == nil && o.module.begun.Count() > before:
		return measure.Stop(errLeftBehind)
	}
	o.first = false

	return failed
}

func (o *operations) call() (value sobek.Value, err error) {
	defer crash.Catch(&err)

	return o.fn(sobek.Undefined())
}
