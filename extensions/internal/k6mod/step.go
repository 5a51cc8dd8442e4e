package k6mod

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// step keeps the recorder of the operation that a VU, as a client of a sweep's step, is doing.
type step struct {
	// session is the sweep session that recorder belongs to; nil before the first.
	session *k6glue.Session
	// op names the operation that recorder counts.
	op       string
	recorder *measure.Recorder
}

// Step adds rows and bytes to what the sweep reports of the operation that its script is doing.
// Outside of a sweep it does nothing.
func (i *Instruments) Step(rows, received, sent uint64) {
	session := i.meter.Session()
	if session == nil {
		return
	}
	if s := &i.step; session != s.session || session.Op != s.op {
		*s = step{session, session.Op, session.Client.Recorder(session.Op)}
	}
	i.step.recorder.Rows(rows)
	i.step.recorder.Bytes(sent, received)
}

// ConnectInTurn waits, before the start line of a sweep's step, until it is the client's turn to
// connect, which ends when done is called. See measure.Client.
func (m *Module) ConnectInTurn() (done func()) {
	session := m.Session()
	if session == nil {
		return func() {}
	}

	return session.Client.ConnectInTurn(m.vu.Context())
}

// InTurn is a method that connects, and waits for the client's turn before it does.
func InTurn[T interface{ ConnectInTurn() (done func()) }](method k6glue.Method[T]) k6glue.Method[T] {
	return func(of T, call sobek.FunctionCall) sobek.Value {
		defer of.ConnectInTurn()()

		return method(of, call)
	}
}

// Session is the sweep session that the VU is a client of at the moment; nil outside of a sweep.
func (i *Instruments) Session() *k6glue.Session { return i.meter.Session() }

// NotInOp throws where a method that counts many operations of its own is called within sweep.op,
// which would count the whole call as one more of them.
func (m *Module) NotInOp(method string) {
	if session := m.Session(); session != nil && session.Named {
		m.Misuse("%s: it counts each of its operations, and cannot be called within sweep.op('%s', ...), which counts the call as one more: "+
			"call it in the function of sweep.run", method, session.Op)
	}
}
