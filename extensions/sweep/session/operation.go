package session

import (
	"context"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Work is what an operation has moved.
type Work struct {
	// Rows are the rows read or written, or what else the operation has many of.
	Rows uint64
	// Sent and Received are bytes.
	Sent, Received uint64
}

// Operation is one call of a script, its arguments read.
type Operation struct {
	// Name is the kind of operation.
	Name string
	// Do does it, and returns when ctx ends. It may run on any goroutine, and touches no
	// JavaScript.
	Do func(ctx context.Context) (Work, error)
	// Value makes what the script gets. Without it, that is undefined.
	Value func() any
}

// Reader reads the arguments of a call. Its error is of kind "usage".
type Reader func(args []sobek.Value) (Operation, error)

// Function is a method that is no operation, such as close or run. It throws its error.
type Function func(args []sobek.Value) (any, error)

// Bind gives an object its methods. An operation NAME has two forms: NAME blocks and throws,
// asyncNAME returns a promise. The calls of one object are done one after another.
func (m *Module) Bind(object *sobek.Object, operations map[string]Reader, functions map[string]Function) {
	tasks := make(map[string]k6mod.Operation[*bound, *task], len(operations))
	for name, read := range operations {
		tasks[name] = func(_ *bound, call sobek.FunctionCall) (*task, error) {
			operation, err := read(call.Arguments)
			if err != nil {
				return nil, Misuse("%s: %s", name, err)
			}

			return &task{module: m, operation: operation}, nil
		}
	}
	methods := k6mod.BothForms(tasks)
	for name, function := range functions {
		methods[name] = func(b *bound, call sobek.FunctionCall) sobek.Value {
			b.tasks.Wait()
			value, err := function(call.Arguments)
			if err != nil {
				m.Throw(err)
			}

			return m.own.Runtime().ToValue(value)
		}
	}
	methods.Put(m.own.Runtime(), object, &bound{m.own.NewTasks(true)})
}

// bound is what the methods of an object have in common.
type bound struct{ tasks *k6mod.Tasks }

// Tasks implements k6mod.Tasker.
func (b *bound) Tasks() *k6mod.Tasks { return b.tasks }

// task is an Operation as k6mod does it.
type task struct {
	module    *Module
	operation Operation
	work      Work
	took      time.Duration
}

// Do implements k6mod.Task.
func (t *task) Do(ctx context.Context, _ bool) (err error) {
	begin := clock.Now()
	t.work, err = t.operation.Do(ctx)
	t.took = clock.Since(begin)

	return ended(ctx, err)
}

// Finish implements k6mod.Task.
func (t *task) Finish(err error) (sobek.Value, error) {
	own := t.module.own
	own.Count(t.operation.Name, err)
	own.Traffic(t.work.Received, t.work.Sent)
	own.Step(t.work.Rows, t.work.Received, t.work.Sent)
	if t.module.durations {
		own.EmitDuration(t.operation.Name, err, t.took)
	} else {
		own.Emit()
	}
	if err != nil || t.operation.Value == nil {
		return sobek.Undefined(), err
	}

	return own.Runtime().ToValue(t.operation.Value()), nil
}

// ended is err or, of an operation that the end of the test has cut off, the error that says so.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return k6mod.TestEnded()
	}

	return err
}

// Result is what a Run has done.
type Result struct {
	Succeeded int
	Failed    int
	Seconds   float64
}

// Run does n operations one after another, in Go, for a method such as client.run. Each counts by
// itself, under its own name. In a sweep it ends as soon as the client's share of the step is done;
// in an open loop each operation waits until it is due. It throws in the init context, and when the
// test ends before.
func (m *Module) Run(n int, do func(ctx context.Context) (name string, work Work, err error)) Result {
	m.own.MustRun()
	m.recorders.of(m.own.Session())
	ctx := m.own.VU().Context()
	var r Result
	begin := clock.Now()
	for r.Succeeded+r.Failed < n && ctx.Err() == nil && m.recorders.next() {
		from := clock.Now()
		name, work, err := contained(ctx, do)
		took := clock.Since(from)
		if err == nil {
			r.Succeeded++
		} else {
			r.Failed++
		}
		m.own.Count(name, err)
		m.own.Traffic(work.Received, work.Sent)
		m.own.Elapsed(took)
		if m.recorders.record(name, work, took, err) {
			break
		}
	}
	m.own.Emit()
	if ctx.Err() != nil {
		m.Throw(k6mod.TestEnded())
	}
	r.Seconds = clock.Since(begin).Seconds()

	return r
}

// contained does an operation. Its panic is the error of an operation named run.
func contained(ctx context.Context, do func(context.Context) (string, Work, error)) (name string, work Work, err error) {
	defer crash.Catch(&err)
	name = "run"
	name, work, err = do(ctx)

	return name, work, ended(ctx, err)
}

// recorders are those of the sweep session that the VU is in, by kind of operation.
type recorders struct {
	session *k6glue.Session
	byName  map[string]*measure.Recorder
}

// of makes the recorders those of a session; nil is none.
func (r *recorders) of(session *k6glue.Session) {
	if session != r.session {
		*r = recorders{session: session, byName: map[string]*measure.Recorder{}}
	}
}

// next waits until the next operation may begin: in an open loop, until it is due. It is false when
// there is none.
func (r *recorders) next() bool { return r.session == nil || r.session.Client.Next(1, nil) }

// record counts an operation in the step, and tells whether the client's share is done.
func (r *recorders) record(name string, work Work, took time.Duration, err error) (enough bool) {
	if r.session == nil {
		return false
	}
	recorder := r.byName[name]
	if recorder == nil {
		recorder = r.session.Client.Recorder(name)
		r.byName[name] = recorder
	}
	if err == nil {
		recorder.Ok(took)
	} else {
		recorder.FailAfter(took, err)
	}
	recorder.Rows(work.Rows)
	recorder.Bytes(work.Sent, work.Received)

	return r.session.Client.Enough()
}
