package k6glue

import (
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// StepRecorder keeps the recorder of the operation that a VU, as a client of a step, is doing.
type StepRecorder struct {
	vu       modules.VU
	session  *Session // of which recorder is,
	op       string   // and of which operation
	recorder *measure.Recorder
}

// NewStepRecorder returns the VU's.
func NewStepRecorder(vu modules.VU) *StepRecorder { return &StepRecorder{vu: vu} }

// Bytes adds bytes to what the step reports of the operation. Outside of a sweep it does nothing.
func (s *StepRecorder) Bytes(received, sent uint64) {
	session := SessionOf(s.vu)
	if session == nil {
		return
	}
	if session != s.session || session.Op != s.op {
		s.session, s.op, s.recorder = session, session.Op, session.Client.Recorder(session.Op)
	}
	s.recorder.Bytes(sent, received)
}
