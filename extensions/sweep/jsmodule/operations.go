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

// operations returns a function that does operations, one at least, for the client's Run.
func (m *module) operations(ctx context.Context, session *k6glue.Session, fn sobek.Callable) func() error {
	o := &operations{module: m, ctx: ctx, session: session, fn: fn, first: true}

	return o.run
}

// run does operations until one is not plainly a success, or the client says that it has to return.
// The error is that of the last one, which has failed when fn throws, or when a sample that it
// pushed tells so. When the VU's context has ended, cut is told, and the operation was cut off,
// whatever it says.
func (o *operations) run() error {
	before := 0
	if o.first {
		before = o.module.pending.Count()
	}
	value, failed, err := o.calls()
	if o.ctx.Err() != nil {
		cut(o.session)

		return context.Cause(o.ctx)
	}

	var interrupted *sobek.InterruptedError
	switch {
	case errors.As(err, &interrupted):
		return measure.Stop(err) // test.abort or the like
	case err != nil:
		_ = o.session.Tap.Fault() // nobody has asked for it where fn panicked
		failed = fault.Thrown(err)
	case isPromise(value):
		return measure.Stop(errPromise)
	case o.first && failed == nil && o.module.pending.Count() > before:
		return measure.Stop(errLeftBehind)
	}
	o.first = false

	return failed
}

// calls calls fn, and again as long as that is plainly a success and the client goes on. It returns
// what the last call has returned, what a sample tells of it, and what it has thrown.
func (o *operations) calls() (value sobek.Value, failed, err error) {
	defer crash.Catch(&err)
	for {
		value, err = o.fn(sobek.Undefined())
		failed = o.session.Tap.Fault()
		if err != nil || failed != nil || o.first || o.ctx.Err() != nil || isPromise(value) || !o.session.Client.Lap() {
			return value, failed, err
		}
	}
}
