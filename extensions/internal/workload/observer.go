package workload

import (
	"context"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// observer records operations, each under its own name in a step. The bytes of a pipeline count for
// its first command.
type observer struct {
	runs      *Runs
	name      func(Op) string     // returns the name of an operation
	recorders []*measure.Recorder // indexed by operation
}

func newObserver(of *Runs, name func(Op) string) *observer {
	return &observer{runs: of, name: name, recorders: make([]*measure.Recorder, NumOps)}
}

func (o *observer) Next(ctx context.Context, n int) error { return o.runs.Next(ctx, n) }

func (o *observer) Ok(op Op, took time.Duration) { o.runs.Ended(o.recorder(op), took, nil) }

func (o *observer) Fail(op Op, reason error, took time.Duration) {
	o.runs.Ended(o.recorder(op), took, reason)
}

// recorder returns an operation's recorder; nil outside a sweep.
func (o *observer) recorder(op Op) *measure.Recorder {
	for int(op) >= len(o.recorders) {
		o.recorders = append(o.recorders, nil)
	}
	if o.recorders[op] == nil {
		if client := o.runs.Client(); client != nil {
			o.recorders[op] = client.Recorder(o.name(op))
		}
	}

	return o.recorders[op]
}
