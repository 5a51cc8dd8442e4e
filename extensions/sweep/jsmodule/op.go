package jsmodule

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// op is sweep.op(name, fn), declared in index.d.ts. Under client-sweep the operation belongs to the
// step, and replaces the operation of the whole call. Elsewhere it is a sample of a Trend and of a
// Rate.
func (m *module) op(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	name, ok := k6x.TextOf(call.Argument(0))
	if !ok || name == "" {
		k6x.ThrowType(rt, "sweep.op(name, fn) takes a name first")
	}
	fn, ok := sobek.AssertFunction(call.Argument(1))
	if !ok {
		k6x.ThrowType(rt, "sweep.op(name, fn) takes a function, not %s", k6x.Show(call.Argument(1)))
	}

	if m.vu.State() == nil {
		k6x.ThrowType(rt, "sweep.op times nothing in the init context; call it in a scenario's function, in setup() or teardown()")
	}
	record := m.recorder(name)
	tap, leave := m.tapped()
	enclosing := tap.Begin()
	begun := m.begun.Count()
	begin := clock.Now()
	value, err := m.named(name, fn)
	took := clock.Since(begin)

	promise, promised := asPromise(value)
	if promised && err == nil && m.vu.Context().Err() == nil {
		tap.Promised(enclosing)

		return m.settle(promise, begin, record, tap, leave)
	}
	failed := tap.End(enclosing)
	left := m.begun.Count() > begun
	if left {
		m.leftBehind = true
	}
	leave()

	var interrupted *sobek.InterruptedError
	switch ctx := m.vu.Context(); {
	case ctx.Err() != nil: // cut off, so the result does not matter
		cut(k6x.SessionOf(m.vu))
		record(took, testrun.CutOff{Why: context.Cause(ctx)})
		if err == nil {
			return value
		}
		rethrow(rt, err)
	case errors.As(err, &interrupted):
		panic(interrupted) // such as test.abort, which is not a result of the operation
	case err != nil:
		record(took, testrun.Thrown(err))
		rethrow(rt, err)
	case left:
		err = errOpLeftBehind(name)
		record(took, err)
		throw(rt, err)
	}
	record(took, failed)

	return value
}

// errOpLeftBehind is the error of an operation whose function leaves a promise or a timer, so that
// its end is unknown.
func errOpLeftBehind(name string) error {
	return fmt.Errorf("sweep.op('%s', fn): fn left a promise that nobody awaits, or a timer; make fn async and await it there: "+
		"the operation then ends when its promise does", name)
}

// cut notifies the session that the VU's context has ended, so that Ctrl-C is known before the
// operation is counted.
func cut(session *k6x.Session) {
	if session != nil && session.Cut != nil {
		session.Cut()
	}
}

// tapped returns the tap for the samples of a new operation. leave ends the operation.
func (m *module) tapped() (tap *k6x.Tap, leave func()) {
	if session := k6x.SessionOf(m.vu); session != nil {
		return session.Tap, func() {}
	}
	if m.tap == nil {
		m.tap = k6x.NewTap(m.vu.State())
		m.results.WatchToTheEnd(m.tap, m.vu.Events())
	}
	iteration := m.vu.Context()
	if m.iteration != iteration { // do not wait for promises of an earlier iteration
		m.iteration, m.underWay = iteration, 0
	}
	m.tap.Open()
	m.underWay++

	return m.tap, func() {
		if m.iteration != iteration {
			return
		}
		if m.underWay--; m.underWay == 0 && !m.leftBehind {
			m.tap.Close()
		}
	}
}

// named calls fn. Rows and bytes of modules count for the operation until fn returns; later ones
// count for the step, because other operations may be active.
func (m *module) named(name string, fn sobek.Callable) (sobek.Value, error) {
	if session := k6x.SessionOf(m.vu); session != nil {
		outer, named := session.Op, session.Named
		session.Op, session.Named = name, true
		defer func() { session.Op, session.Named = outer, named }()
	}

	return called(fn)
}

// called calls a function of the script and returns a panic as an error.
func called(fn sobek.Callable) (value sobek.Value, err error) {
	defer crash.Catch(&err)

	return fn(sobek.Undefined())
}

type outcome func(took time.Duration, err error)

func (m *module) recorder(name string) outcome {
	session := k6x.SessionOf(m.vu)
	if session == nil {
		return m.emitter(name)
	}
	if session != m.session {
		m.session, m.recorders = session, map[string]*measure.Recorder{}
	}
	r := m.recorders[name]
	if r == nil {
		if len(session.OpNames) > 0 && !slices.Contains(session.OpNames, name) {
			interrupt(m.vu.Runtime(), errUnknownOp(name, session.OpNames))

			return func(time.Duration, error) {}
		}
		r = session.Client.Recorder(name)
		m.recorders[name] = r
	}
	r.Begin()

	return r.End
}

// errUnknownOp is the error for a name that the option opNames lacks.
func errUnknownOp(name string, known []string) error {
	hint := ""
	if meant := input.Nearest(name, known); meant != "" {
		hint = fmt.Sprintf("; did you mean '%s'?", meant)
	}

	return fmt.Errorf("sweep.op('%s'): the option opNames has no such name, but %s%s", name, strings.Join(known, ", "), hint)
}

// emitter returns the function that sends an operation's samples outside of sweeps. It ignores
// operations that the end of their iteration cuts off, as k6 does with iterations. In a portable
// step, it ignores operations before and after sweep.run.
func (m *module) emitter(name string) outcome {
	if executor.PortableStepOf(m.vu.Context(), m.results) != nil {
		return func(time.Duration, error) {}
	}

	return func(took time.Duration, err error) {
		if errors.As(err, new(testrun.CutOff)) {
			return
		}
		state := m.vu.State()
		samples := m.metrics.Op(state.Tags.GetCurrentValues(), time.Now(), name, took, err)
		metrics.PushIfNotDone(m.vu.Context(), m.tap.Past(state), samples)
	}
}

var promiseType = reflect.TypeFor[*sobek.Promise]() //nolint:gochecknoglobals // a constant

func asPromise(value sobek.Value) (*sobek.Object, bool) {
	object, _ := value.(*sobek.Object)

	return object, isPromise(value)
}

func isPromise(value sobek.Value) bool {
	object, ok := value.(*sobek.Object)

	return ok && object.ExportType() == promiseType
}

// settle records the operation when its promise settles, and returns a promise with the same
// result.
func (m *module) settle(
	promise *sobek.Object, begin time.Duration, record outcome, tap *k6x.Tap, leave func(),
) sobek.Value {
	rt := m.vu.Runtime()
	then, ok := sobek.AssertFunction(promise.Get("then"))
	if !ok {
		k6x.ThrowType(rt, "sweep.op(name, fn): fn has returned a promise without then")
	}
	begun := m.begun.Count()
	value, err := then(promise,
		rt.ToValue(func(call sobek.FunctionCall) sobek.Value {
			failed := tap.Settled()
			leave()
			record(clock.Since(begin), failed)

			return call.Argument(0)
		}),
		rt.ToValue(func(call sobek.FunctionCall) sobek.Value {
			reason := call.Argument(0)
			_ = tap.Settled()
			leave()
			record(clock.Since(begin), testrun.RejectedWith(reason))
			panic(reason)
		}))
	m.begun.Restore(begun) // do not count this call of then as the script's
	if err != nil {
		rethrow(rt, err)
	}

	return value
}

func rethrow(rt *sobek.Runtime, err error) {
	var exception *sobek.Exception
	if errors.As(err, &exception) {
		panic(exception)
	}
	throw(rt, err)
}
