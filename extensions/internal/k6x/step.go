package k6x

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// step caches the recorder of a VU's current operation in a sweep.
type step struct {
	session  *Session
	op       string
	recorder *measure.Recorder
}

// Step adds rows and bytes to the script's current operation in the sweep. Outside a sweep it does
// nothing.
func (i *Instruments) Step(rows, received, sent uint64) {
	session := i.Session()
	if session == nil {
		return
	}
	if s := &i.step; session != s.session || session.Op != s.op {
		*s = step{session, session.Op, session.Client.Recorder(session.Op)}
	}
	i.step.recorder.Rows(rows)
	i.step.recorder.Bytes(sent, received)
}

// ConnectInTurn waits for the client's turn to connect before a step starts. done ends the turn.
// See measure.Client.
func (m *Module) ConnectInTurn() (done func()) {
	session := m.Session()
	if session == nil {
		return func() {}
	}

	return session.Client.ConnectInTurn(m.vu.Context())
}

// InTurn wraps a method that connects, so that it waits for the client's turn.
func InTurn[T interface{ ConnectInTurn() (done func()) }](method Method[T]) Method[T] {
	return func(of T, call sobek.FunctionCall) sobek.Value {
		defer of.ConnectInTurn()()

		return method(of, call)
	}
}

// NotInOp throws inside sweep.op, which would count a whole client.run as one operation.
func (m *Module) NotInOp(method string) {
	if session := m.Session(); session != nil && session.Named {
		m.Misuse("%s: it counts each of its operations, and cannot be called within sweep.op('%s', ...), which counts the call as one more: "+
			"call it in the function of sweep.run", method, session.Op)
	}
}
