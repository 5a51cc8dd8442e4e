package jsmodule

import (
	"errors"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// done is sweep.done(): nothing is left of what the clients of the step share, such as the messages
// of a queue. The client's part ends with the call of the function that says so; each client has to
// say it. A call that did nothing but find that out is no operation.
//
// It throws an Error outside of the measured phase of a step whose scenario has untilDone.
func (m *module) done(sobek.FunctionCall) sobek.Value {
	session := k6glue.SessionOf(m.vu)
	if session == nil || !session.Client.Done() {
		throw(m.vu.Runtime(), errors.New("sweep.done is for what sweep.run calls, in scenarios with untilDone: true"))
	}

	return sobek.Undefined()
}
