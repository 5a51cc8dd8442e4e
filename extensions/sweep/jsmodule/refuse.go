package jsmodule

import (
	"errors"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
)

// refuseDropped ends the test before it begins if k6 has dropped the script's sweeps. It does
// nothing while the script's options are read, before there are VUs, when no executors exist yet.
func (m *module) refuseDropped() {
	rt := m.vu.Runtime()
	id := rt.Get("__VU")
	if id == nil || id.ToInteger() == 0 {
		return
	}
	if err := m.unread(); err != nil {
		interrupt(rt, err)

		return
	}
	if scenarios := executor.DroppedSweeps(); len(scenarios) > 0 {
		interrupt(rt, executor.ErrDropped(scenarios))
	}
}

var errNotHere = errors.New("sweep.run works in scenarios with executor '" + executor.Type + "' only, " +
	"or in those that sweep.options has made portable")

var errInInit = errors.New("sweep.run(fn) is called in the scenario's function, not in the init context: " +
	"export default function () { sweep.run(fn) }")

// notInASweep ends the test after a call of sweep.run outside of a step. A thrown error would be
// repeated in each iteration, and k6 would exit with 0.
func (m *module) notInASweep() {
	rt := m.vu.Runtime()
	state := m.vu.State()
	if state != nil {
		if scenarios := executor.PortableWithout(m.results, state.Options.Scenarios); len(scenarios) > 0 {
			interrupt(rt, executor.ErrDropped(scenarios))

			return
		}
	}
	if state == nil {
		interrupt(rt, errInInit)

		return
	}
	interrupt(rt, errNotHere)
}

// misconfigured ends k6 with the exit code of an invalid configuration. An exception in the init
// context would give a script error. After the init context it throws the error.
func (m *module) misconfigured(err error) {
	rt := m.vu.Runtime()
	if m.vu.State() != nil {
		throw(rt, err)
	}
	if errors.As(err, new(wrongSetting)) {
		interrupt(rt, err)

		return
	}
	interrupt(rt, errors.New(err.Error()+calledFrom(rt)))
}

// calledFrom returns the script's position in k6's format.
func calledFrom(rt *sobek.Runtime) string {
	for _, frame := range rt.CaptureCallStack(0, nil) {
		if position := frame.Position(); position.Line > 0 {
			return "\n\tat " + position.String()
		}
	}

	return ""
}

// refuse is sweep.refuse(text), declared in index.d.ts.
func (m *module) refuse(call sobek.FunctionCall) sobek.Value {
	text, ok := k6x.TextOf(call.Argument(0))
	if !ok || text == "" {
		k6x.ThrowType(m.vu.Runtime(), "sweep.refuse(text) takes what is wrong, not %s", k6x.Show(call.Argument(0)))
	}
	m.misconfigured(wrongSetting{errors.New(text)})

	return sobek.Undefined()
}

// interrupt ends the test with an error after the current call, as k6's test.abort does.
func interrupt(rt *sobek.Runtime, err error) {
	rt.Interrupt(wrongOptions{&errext.InterruptError{Reason: err.Error()}})
}

// wrongOptions is an interrupt because of invalid options.
type wrongOptions struct{ *errext.InterruptError }

// Unwrap lets k6 detect the interrupt.
func (e wrongOptions) Unwrap() error { return e.InterruptError }

// StackTrace returns the reason, which k6 shows instead of Error.
func (e wrongOptions) StackTrace() string { return e.Reason }

// ExitCode returns k6's exit code for invalid options.
func (wrongOptions) ExitCode() exitcodes.ExitCode { return exitcodes.InvalidConfig }
