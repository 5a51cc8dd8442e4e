package jsmodule

import (
	"errors"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// done is sweep.done(), declared in index.d.ts.
func (m *module) done(sobek.FunctionCall) sobek.Value {
	session := k6x.SessionOf(m.vu)
	if session == nil || !session.Client.Done() {
		throw(m.vu.Runtime(), errors.New("sweep.done is for what sweep.run calls, in scenarios with untilDone: true"))
	}

	return sobek.Undefined()
}
