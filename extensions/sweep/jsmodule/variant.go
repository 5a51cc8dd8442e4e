package jsmodule

import (
	"errors"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// variant is sweep.variant(): the name of the variant that the current step is of.
//
// It throws an Error outside of the steps of a scenario with variants.
func (m *module) variant(sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	session := k6glue.SessionOf(m.vu)
	if session == nil || session.Variant == "" {
		throw(rt, errors.New("sweep.variant is for the function of a scenario with variants"))
	}

	return rt.ToValue(session.Variant)
}
