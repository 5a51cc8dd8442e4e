package jsmodule

import (
	"context"
	"errors"
	"fmt"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/errext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// run is sweep.run(fn) or sweep.run({ base, change }), declared in index.d.ts. The loop is in Go,
// so an operation costs one call of fn, one reading of the clock and one increment.
func (m *module) run(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	fn, change := m.variants(call.Argument(0))
	ctx := m.vu.Context()
	session := k6x.SessionOf(m.vu)
	aborted := func() error { return nil }
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

	_, _ = session.Tap.Fault(), session.Tap.Requested() // samples of earlier code do not count
	before := m.begun.Count()
	err := m.measured(ctx, session, fn, change)
	if err == nil && ctx.Err() == nil && m.begun.Count() > before {
		err = errLeftBehind
	}
	if err == nil && session.Rest != nil {
		session.Rest()
	}
	if wrong := misuse(err, change != nil); wrong != nil {
		interrupt(rt, wrong)

		return sobek.Undefined()
	}
	if why, is := errors.AsType[*errext.InterruptError](aborted()); is {
		rt.Interrupt(why) // as k6/execution's test.abort does
	}
	if err := endedBy(ctx, err); err != nil {
		throw(rt, err)
	}

	return sobek.Undefined()
}

// misuse returns the error that ends the test if every operation of the script would be wrong.
func misuse(err error, duet bool) error {
	switch {
	case errors.Is(err, measure.ErrMixedDuet):
		return measure.ErrMixedDuet
	case duet && (errors.Is(err, errPromise) || errors.Is(err, errLeftBehind)):
		return errAsyncDuet
	case errors.Is(err, errPromise):
		return errPromise
	case errors.Is(err, errLeftBehind):
		return errLeftBehind
	}

	return nil
}

// portable joins a portable step. It returns nil after ending the test if there is no such step.
func (m *module) portable() *executor.PortableClient {
	client, err := executor.Join(m.vu, m.results, m.metrics)
	switch {
	case errors.As(err, new(executor.Refusal)):
		interrupt(m.vu.Runtime(), err)

		return nil
	case err != nil:
		throw(m.vu.Runtime(), err)
	case client == nil:
		m.notInASweep()
	}

	return client
}

// refusal returns why the client cannot begin its share.
func (m *module) refusal(session *k6x.Session, change sobek.Callable) error {
	switch {
	case m.running:
		return errNested
	case change != nil && session.NoDuet != "":
		return errNoDuet(session.NoDuet)
	default:
		return nil
	}
}

// measured does the client's share with one function or, in a duet, with two.
func (m *module) measured(ctx context.Context, session *k6x.Session, fn, change sobek.Callable) error {
	warm := func() {
		session.Measure()
		m.setStepTags(session.Tags)
	}
	if change == nil {
		return session.Client.Run(ctx, session.Op, warm, m.operations(ctx, session, fn))
	}

	return session.Client.RunDuet(ctx, session.Op, warm, m.operations(ctx, session, fn), m.operations(ctx, session, change))
}

// variants reads the argument of sweep.run; change is nil without a duet.
func (m *module) variants(given sobek.Value) (fn, change sobek.Callable) {
	if fn, ok := sobek.AssertFunction(given); ok {
		return fn, nil
	}
	rt := m.vu.Runtime()
	object, ok := given.(*sobek.Object)
	if !ok || object.Get(report.Base) == nil && object.Get(report.Change) == nil {
		k6x.ThrowType(rt, "sweep.run takes a function, or two as { base, change }, not %s", k6x.Show(given))
	}
	for _, name := range object.Keys() {
		if name != report.Base && name != report.Change {
			k6x.ThrowType(rt, "sweep.run({ base, change }) takes two functions, and no %q", name)
		}
	}
	if fn, ok := sobek.AssertFunction(object.Get(report.Change)); ok && k6x.IsNullish(object.Get(report.Base)) {
		return fn, nil
	}
	both := map[string]sobek.Callable{}
	for _, name := range []string{report.Base, report.Change} {
		if both[name], ok = sobek.AssertFunction(object.Get(name)); !ok {
			value := object.Get(name)
			if value == nil {
				value = sobek.Undefined()
			}
			k6x.ThrowType(rt, "sweep.run({ base, change }): %s must be a function, not %s", name, k6x.Show(value))
		}
	}

	return both[report.Base], both[report.Change]
}

// errNoDuet is the error of a duet in a sweep that does not allow one.
func errNoDuet(why string) error {
	return fmt.Errorf("sweep.run({ base, change }) cannot go with %s", why)
}

// errNested is the error of a nested sweep.run, whose operations would belong to both.
var errNested = errors.New("sweep.run(fn) is called within the function of another sweep.run: sweep.op names a piece of an operation")

// errPromise is the error for an asynchronous function, which would end after sweep.run.
var errPromise = errors.New("sweep.run(fn) calls a function that is done when it returns, but this one returned a promise; " +
	"make the scenario's function async instead and leave sweep.run out: the executor then repeats it")

// errAsyncDuet is the error for asynchronous functions in a duet.
var errAsyncDuet = errors.New("sweep.run({ base, change }) calls functions that are done when they return, but one returned a promise, " +
	"or left one or a timer behind: use a client whose calls block, such as k6/x/resp for Redis; " +
	"or give sweep.options({ variants: ['base', 'change'] }), make the scenario's function async, and do what sweep.step().variant names")

// errLeftBehind is the error for a function that leaves a promise or a timer.
var errLeftBehind = errors.New("sweep.run(fn) calls a function that is done when it returns, but this one left a promise that " +
	"nobody awaits, or a timer; make the scenario's function async instead, await it there and leave sweep.run out: " +
	"the executor then repeats it")
