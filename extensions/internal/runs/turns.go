package runs

import (
	"errors"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// inTurns does a job of many operations at the client's seat: it takes turns with the jobs of other
// clients, in the order in which their answers come. In a duet at a rate it is of one operation,
// which the client does on its own goroutine.
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
		panic(fault.Value) // as it would have come from a job on this goroutine
	}

	return err
}

// waits are how long the answers to a client of a step have waited.
type waits struct {
	client *measure.Client
	// loops are where those of each loop are recorded.
	loops []*measure.Waits
}

func (w *waits) record(loop int, wait time.Duration) {
	for len(w.loops) <= loop {
		w.loops = append(w.loops, w.client.Step().Waits(len(w.loops)))
	}
	w.loops[loop].Record(w.client, wait)
}
