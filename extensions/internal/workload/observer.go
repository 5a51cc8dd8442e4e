package workload

import (
	"context"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// observer records operations, each under its own name in a step. The bytes of a pipeline count for
// its first command.
type observer[O ~uint8] struct {
	runs      *Runs
	name      func(O) string      // returns the name of an operation
	recorders []*measure.Recorder // indexed by operation
}

func newObserver[O ~uint8](of *Runs, name func(O) string) *observer[O] {
	return &observer[O]{runs: of, name: name, recorders: make([]*measure.Recorder, NumOps)}
}

func (o *observer[O]) Next(ctx context.Context, n int) error { return o.runs.Next(ctx, n) }

func (o *observer[O]) Ok(op O, took time.Duration) { o.runs.Ended(o.recorder(op), took, nil) }

func (o *observer[O]) Fail(op O, reason error, took time.Duration) {
	o.runs.Ended(o.recorder(op), took, reason)
}

// recorder returns an operation's recorder; nil outside a sweep.
func (o *observer[O]) recorder(op O) *measure.Recorder {
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
