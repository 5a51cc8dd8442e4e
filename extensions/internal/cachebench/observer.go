package cachebench

import (
	"context"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// observer records operations in the step of a sweep, each under its own name, and ends a run when
// the client's share is done. The bytes of a pipeline are those of its first command.
type observer struct {
	host      Host
	cache     Cache
	client    *measure.Client // nil: outside of a sweep
	recorders [workload.NumOps]*measure.Recorder
	stop      context.CancelCauseFunc // of the run under way
	// fault is why the first operation of the run under way has failed; nil: none has.
	fault error
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
		r.FailAfter(took, reason)
	} else if o.fault == nil {
		o.fault = reason
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
	o.host.Elapsed(took)
}
