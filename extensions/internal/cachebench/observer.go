package cachebench

import (
	"context"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

const (
	emitEvery = time.Second           // is how often a run sends the module's metrics;
	lookEvery = 10 * time.Millisecond // of operations: how often it looks whether that is now
)

// observer records operations in the step of a sweep, each under its own name, and ends a run when the client's share is
// done. The bytes of a pipeline are those of its first command.
type observer struct {
	cache     Cache
	client    *measure.Client // nil: outside of a sweep
	recorders [workload.NumOps]*measure.Recorder
	stop      context.CancelCauseFunc // of the run under way
	emitted   time.Time
	unlooked  time.Duration // that operations have taken since the clock was looked at
}

// Ok implements workload.Observer.
func (o *observer) Ok(op workload.Op, took time.Duration) {
	if r := o.recorder(op); r != nil {
		r.Ok(took)
	}
	o.recorded(op, took)
}

// Fail implements workload.Observer.
func (o *observer) Fail(op workload.Op, reason error, took time.Duration) {
	if r := o.recorder(op); r != nil {
		r.Fail(reason)
	}
	o.recorded(op, took)
}

func (o *observer) recorder(op workload.Op) *measure.Recorder {
	if o.client == nil {
		return nil
	}
	if o.recorders[op] == nil {
		o.recorders[op] = o.client.Recorder(op.String())
	}

	return o.recorders[op]
}

func (o *observer) recorded(op workload.Op, took time.Duration) {
	received, sent := o.cache.Traffic()
	if o.client != nil {
		o.recorders[op].Bytes(sent, received)
		if o.client.Enough() {
			o.stop(errEnough)
		}
	}
	if o.unlooked += took; o.unlooked < lookEvery {
		return
	}
	o.unlooked = 0
	if now := time.Now(); now.Sub(o.emitted) >= emitEvery {
		o.emitted = now
		o.cache.Emit()
	}
}
