package jsmodule

import (
	"context"
	"errors"
	"fmt"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/errext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/portable"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// run is sweep.run(fn): it waits until all clients of the step have come here, and then calls fn
// for each operation until this client's share of the step is done. It returns once that of all
// clients is; in a portable step, whose VUs k6 has the next iteration for, at once. With two
// functions, as { base, change }, the clients take turns between them: see RunDuet. The loop is
// Go's, so that an operation costs one call of fn, one reading of the clock and one increment.
//
// It throws a TypeError when fn is not a function, and an Error at a second call in one step and
// when fn returns a promise; under another executor it ends the test. What fn throws is counted as
// a failed operation and does not come out of here; so is a failed check and a response that is an
// error, see failOn.
func (m *module) run(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	fn, change := m.variants(call.Argument(0))
	ctx := m.vu.Context()
	session := k6glue.SessionOf(m.vu)
	aborted := func() string { return "" }
	if session == nil {
		client := m.portable()
		if client == nil {
			return sobek.Undefined()
		}
		defer client.Leave()
		session, aborted = client.Session, client.Aborted
	}

	if err := m.refusal(session, change); err != nil {
		interrupt(rt, err)

		return sobek.Undefined()
	}
	m.running = true
	defer func() { m.running = false }()

	_ = session.Tap.Fault() // what the script did before is no operation
	before := m.begun.Count()
	err := m.measured(ctx, session, fn, change)
	if errors.Is(err, measure.ErrMixedDuet) {
		interrupt(rt, err)

		return sobek.Undefined()
	}
	if err == nil && ctx.Err() == nil && m.begun.Count() > before {
		err = errLeftBehind
	}
	if err == nil && session.Rest != nil {
		session.Rest()
	}
	if change != nil && (errors.Is(err, errPromise) || errors.Is(err, errLeftBehind)) {
		err = errAsyncDuet
	}
	if why := aborted(); why != "" {
		rt.Interrupt(&errext.InterruptError{Reason: why}) // as k6/execution's test.abort does
	}
	if err := endedBy(ctx, err); err != nil {
		throw(rt, err)
	}

	return sobek.Undefined()
}

// portable joins a portable step, and returns the client there. Nil where there is no such step,
// which has ended the test.
func (m *module) portable() *portable.Client {
	client, err := portable.Join(m.vu, m.results, m.metrics)
	switch {
	case errors.As(err, new(portable.Refusal)):
		interrupt(m.vu.Runtime(), err)

		return nil
	case err != nil:
		throw(m.vu.Runtime(), err)
	case client == nil:
		m.notInASweep()
	}

	return client
}

// refusal says why the client cannot begin its part of the step now.
func (m *module) refusal(session *k6glue.Session, change sobek.Callable) error {
	switch {
	case m.running:
		return errNested
	case change != nil && session.NoDuet != "":
		return errNoDuet(session.NoDuet)
	default:
		return nil
	}
}

// measured does the client's part of the step with one function or, in a duet, with two.
func (m *module) measured(ctx context.Context, session *k6glue.Session, fn, change sobek.Callable) error {
	warm := func() {
		session.Measure()
		m.setStepTags(session.Tags)
	}
	if change == nil {
		return session.Client.Run(ctx, session.Op, warm, m.operations(ctx, session, fn))
	}

	return session.Client.RunDuet(ctx, session.Op, warm, m.operations(ctx, session, fn), m.operations(ctx, session, change))
}

// variants reads what sweep.run is given: a function, or the two of a duet. Without a duet, change
// is nil.
func (m *module) variants(given sobek.Value) (fn, change sobek.Callable) {
	if fn, ok := sobek.AssertFunction(given); ok {
		return fn, nil
	}
	rt := m.vu.Runtime()
	object, ok := given.(*sobek.Object)
	if !ok || object.Get(report.Base) == nil && object.Get(report.Change) == nil {
		k6glue.ThrowType(rt, "sweep.run takes a function, or two as { base, change }, not %s", k6glue.Show(given))
	}
	for _, name := range object.Keys() {
		if name != report.Base && name != report.Change {
			k6glue.ThrowType(rt, "sweep.run({ base, change }) takes two functions, and no %q", name)
		}
	}
	both := map[string]sobek.Callable{}
	for _, name := range []string{report.Base, report.Change} {
		if both[name], ok = sobek.AssertFunction(object.Get(name)); !ok {
			value := object.Get(name)
			if value == nil {
				value = sobek.Undefined()
			}
			k6glue.ThrowType(rt, "sweep.run({ base, change }): %s must be a function, not %s", name, k6glue.Show(value))
		}
	}

	return both[report.Base], both[report.Change]
}

// errNoDuet is why a duet ends the test in a sweep that can have none.
func errNoDuet(why string) error {
	return fmt.Errorf("sweep.run({ base, change }) cannot go with %s", why)
}

// errNested is why sweep.run ends the test within another one: the operations of both would be one.
var errNested = errors.New("sweep.run(fn) is called within the function of another sweep.run: sweep.op names a piece of an operation")

// errPromise is why an asynchronous function is refused: its promise could only settle after
// sweep.run has returned.
var errPromise = errors.New("sweep.run(fn) calls a function that is done when it returns, but this one returned a promise; " +
	"make the scenario's function async instead and leave sweep.run out: the executor then repeats it")

// errAsyncDuet is why a duet is refused of functions that are not done when they return: its two
// take turns on the clock of the operation.
var errAsyncDuet = errors.New("sweep.run({ base, change }) calls functions that are done when they return, but one returned a promise, " +
	"or left one or a timer behind; give sweep.options({ variants: ['base', 'change'] }) instead, make the scenario's function async, " +
	"and do in it what sweep.step().variant names")

// errLeftBehind is why a function is refused that keeps a promise or a timer to itself.
var errLeftBehind = errors.New("sweep.run(fn) calls a function that is done when it returns, but this one left a promise that " +
	"nobody awaits, or a timer; make the scenario's function async instead, await it there and leave sweep.run out: " +
	"the executor then repeats it")
