package jsmodule

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// step is sweep.step(): it returns the VU's current step, or null outside of a step.
func (m *module) step(sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	phase, of := stream.Warmup, k6x.StepInfo{}
	if session := k6x.SessionOf(m.vu); session != nil {
		of = session.Step
		if session.Client.Started() {
			phase = stream.Measure
		}
	} else if step := executor.PortableStepOf(m.vu.Context(), m.results); step != nil {
		of = step.Info()
	} else {
		return sobek.Null()
	}
	step := rt.NewObject()
	for _, p := range []struct {
		name  string
		value any
	}{
		{"scenario", of.Scenario},
		{"clients", of.Clients},
		{"rate", orNull(of.Rate)},
		{"repeat", of.Repeat},
		{"variant", orNull(of.Variant)},
		{"op", of.Op},
		{"phase", phase},
	} {
		if err := step.Set(p.name, p.value); err != nil {
			throw(rt, err)
		}
	}

	return step
}

// orNull returns null for a zero value.
func orNull[T comparable](value T) any {
	var none T
	if value == none {
		return sobek.Null()
	}

	return value
}
