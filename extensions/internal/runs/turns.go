package runs

import (
	"errors"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// inTurns runs a job at the client's seat. In a duet with a rate, where a job is one operation, it
// runs the job on the client's goroutine.
func (r *Runs) inTurns(job func() error) error {
	client := r.Client()
	if r.seat == nil || client != nil && client.Step().OpenLoop() && client.Step().IsDuet() {
		return job()
	}
	r.seat.Waited = nil
	if client != nil {
		r.seat.Waited = r.waits.record
		defer func() { r.seat.Waited = nil }()
	}
	index, _, _ := r.Place()
	err := r.seat.Do(index, job)
	if fault, is := errors.AsType[*crash.Error](err); is {
		panic(fault.Value) // as if the job had run here
	}

	return err
}

type waits struct {
	client *measure.Client
	// loops has one recorder per event loop.
	loops []*measure.Waits
}

func (w *waits) record(loop int, wait time.Duration) {
	for len(w.loops) <= loop {
		w.loops = append(w.loops, w.client.Step().Waits(len(w.loops)))
	}
	w.loops[loop].Record(w.client, wait)
}
