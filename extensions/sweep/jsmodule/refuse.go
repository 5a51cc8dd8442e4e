package jsmodule

import (
	"errors"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/options"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/portable"
)

// refuseDropped interrupts the initialisation of a VU whose script has sweeps that k6 has dropped,
// which ends the test before it begins. When the script's options are read, before there is any VU,
// no test has executors yet.
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
	if scenarios := executor.DroppedSweeps(m.results); len(scenarios) > 0 {
		interrupt(rt, executor.ErrDropped(scenarios))
	}
}

// errNotHere is why sweep.run ends the test under another executor.
var errNotHere = errors.New("sweep.run works in scenarios with executor '" + options.ExecutorType + "' only, " +
	"or in those that sweep.options has made portable")

// errInInit is why sweep.run ends the test outside of a scenario's function.
var errInInit = errors.New("sweep.run(fn) is called in the scenario's function, not in the init context: " +
	"export default function () { sweep.run(fn) }")

// notInASweep ends the test: sweep.run was called by a VU that is no client of a step. Thrown, the
// error would come again with each iteration, and k6 would exit with 0.
func (m *module) notInASweep() {
	rt := m.vu.Runtime()
	state := m.vu.State()
	if state != nil {
		if scenarios := portable.Without(m.results, state.Options.Scenarios); len(scenarios) > 0 {
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

// misconfigured ends k6 with the exit code of an invalid configuration, as k6's own options do that
// make no sense: an exception of the init context would have that of the script's. What runs later
// throws the error.
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

// calledFrom is where the script is, as k6 shows it below an exception.
func calledFrom(rt *sobek.Runtime) string {
	for _, frame := range rt.CaptureCallStack(0, nil) {
		if position := frame.Position(); position.Line > 0 {
			return "\n\tat " + position.String()
		}
	}

	return ""
}

// interrupt ends the whole test with an error, as k6's test.abort does. It takes effect when the
// call has returned.
func interrupt(rt *sobek.Runtime, err error) {
	rt.Interrupt(wrongOptions{&errext.InterruptError{Reason: err.Error()}})
}

// wrongOptions is an interrupt whose cause are options that make no sense.
type wrongOptions struct{ *errext.InterruptError }

// Unwrap lets k6 find out that the test is to end.
func (e wrongOptions) Unwrap() error { return e.InterruptError }

// StackTrace is the reason: k6 shows it in place of Error.
func (e wrongOptions) StackTrace() string { return e.Reason }

// ExitCode is k6's exit code for such options.
func (wrongOptions) ExitCode() exitcodes.ExitCode { return exitcodes.InvalidConfig }
