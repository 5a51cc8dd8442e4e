package jsmodule

import (
	"errors"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// done is sweep.done(): nothing is left of the work that the step's clients share. It ends this
// client's share; each client has to call it. A call of the function that recorded nothing else is
// not an operation.
//
// It throws an Error outside of the measured phase of a step with untilDone.
func (m *module) done(sobek.FunctionCall) sobek.Value {
	session := k6glue.SessionOf(m.vu)
	if session == nil || !session.Client.Done() {
		throw(m.vu.Runtime(), errors.New("sweep.done is for what sweep.run calls, in scenarios with untilDone: true"))
	}

	return sobek.Undefined()
}
