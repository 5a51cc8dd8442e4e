package jsmodule

import (
	"context"
	"errors"
	"reflect"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/errext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/fault"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/portable"
)

// run is sweep.run(fn): it waits until all clients of the step have come here, and then calls fn
// for each operation until this client's share of the step is done. The loop is Go's, so that an
// operation costs one call of fn, one reading of the clock and one increment: 0.15 us.
//
// It throws a TypeError when fn is not a function, and an Error at a second call in one step and
// when fn returns a promise; under another executor it ends the test. What fn throws is counted as
// a failed operation and does not come out of here; so is a failed check and a response that is an
// error, see failOn.
func (m *module) run(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	fn, ok := sobek.AssertFunction(call.Argument(0))
	if !ok {
		k6glue.ThrowType(rt, "sweep.run(fn) takes a function, not %s", k6glue.Show(call.Argument(0)))
	}
	ctx := m.vu.Context()
	session := k6glue.SessionOf(m.vu)
	aborted := func() string { return "" }
	if session == nil {
		client, err := portable.Join(m.vu, m.results, m.metrics)
		if errors.As(err, new(portable.Refusal)) {
			interrupt(rt, err)

			return sobek.Undefined()
		}
		if err != nil {
			throw(rt, err)
		}
		if client == nil {
			m.notInASweep()

			return sobek.Undefined()
		}
		defer client.Leave()
		session, aborted = client.Session, client.Aborted
	}

	if m.running {
		interrupt(rt, errNested)

		return sobek.Undefined()
	}
	m.running = true
	defer func() { m.running = false }()

	_ = session.Tap.Fault() // what the script did before is no operation
	before, first := m.pending.Count(), true
	err := session.Client.Run(ctx, session.Op, func() {
		session.Measure()
		m.setStepTags(session.Tags)
	}, func() error {
		err := operation(ctx, fn, session)
		if first && err == nil && m.pending.Count() > before {
			return measure.Stop(errLeftBehind)
		}
		first = false

		return err
	})
	if err == nil && ctx.Err() == nil && m.pending.Count() > before {
		err = errLeftBehind
	}
	if why := aborted(); why != "" {
		rt.Interrupt(&errext.InterruptError{Reason: why}) // as k6/execution's test.abort does
	}
	if err := endedBy(ctx, err); err != nil {
		throw(rt, err)
	}

	return sobek.Undefined()
}

// errNested is why sweep.run ends the test within another one: the operations of both would be one.
var errNested = errors.New("sweep.run(fn) is called within the function of another sweep.run: sweep.op names a piece of an operation")

// errPromise is why an asynchronous function is refused: its promise could only settle after
// sweep.run has returned.
var errPromise = errors.New("sweep.run(fn) calls a function that is done when it returns, but this one returned a promise; " +
	"make the scenario's function async instead and leave sweep.run out: the executor then repeats it")

// errLeftBehind is why a function is refused that keeps a promise or a timer to itself.
var errLeftBehind = errors.New("sweep.run(fn) calls a function that is done when it returns, but this one left a promise that " +
	"nobody awaits, or a timer; make the scenario's function async instead, await it there and leave sweep.run out: " +
	"the executor then repeats it")

var promiseType = reflect.TypeFor[*sobek.Promise]() //nolint:gochecknoglobals // a constant

// called calls a function of the script's. A panic of what it calls is an error as an exception is.
func called(fn sobek.Callable) (value sobek.Value, err error) {
	defer crash.Catch(&err)

	return fn(sobek.Undefined())
}

// operation calls fn once. It has failed when fn throws, or when a sample that it pushed tells so.
// When the VU's context has ended, cut is told, and the operation was cut off, whatever it says.
func operation(ctx context.Context, fn sobek.Callable, session *k6glue.Session) error {
	value, err := called(fn)
	failed := session.Tap.Fault()
	if ctx.Err() != nil {
		cut(session)

		return context.Cause(ctx)
	}
	if err == nil {
		if _, is := asPromise(value); is {
			return measure.Stop(errPromise)
		}

		return failed
	}

	var interrupted *sobek.InterruptedError
	if errors.As(err, &interrupted) {
		return measure.Stop(err) // test.abort or the like
	}

	return fault.Thrown(err)
}
