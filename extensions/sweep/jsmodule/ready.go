package jsmodule

import (
	"context"
	"errors"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// errNoStep is the error outside of a step.
var errNoStep = errors.New("sweep.ready() is for the function of a scenario with the executor 'client-sweep'")

// ready is sweep.ready(), declared in index.d.ts.
func (m *module) ready(sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	promise, resolve, reject := rt.NewPromise()
	session := k6x.SessionOf(m.vu)
	if session == nil {
		_ = reject(newError(rt, errNoStep))

		return rt.ToValue(promise)
	}
	all, ctx, back := session.Client.Arrive(), m.vu.Context(), k6x.RegisterCallback(m.vu)
	go func() {
		var err error
		select {
		case <-all:
		case <-ctx.Done():
			err = ended{context.Cause(ctx)}
		}
		back(func() error {
			if err != nil {
				return reject(newError(rt, err))
			}

			return resolve(sobek.Undefined())
		})
	}()

	return rt.ToValue(promise)
}
