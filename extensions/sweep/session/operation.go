package session

import (
	"context"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Work is the amount of data of an operation.
type Work struct {
	// Rows that were read or written, or other items.
	Rows uint64
	// Sent and Received are in bytes.
	Sent, Received uint64
}

// Operation is one call of a script, with its arguments.
type Operation struct {
	// Name is the kind of operation.
	Name string
	// Do executes it and returns when ctx ends. It runs on any goroutine and must not use JavaScript.
	Do func(ctx context.Context) (Work, error)
	// Value returns the script's result; undefined if nil.
	Value func() any
}

// Reader reads the arguments of a call. Its error has the kind "usage".
type Reader func(args []sobek.Value) (Operation, error)

// Function is a method that is not an operation, such as close or run. Its error is thrown.
type Function func(args []sobek.Value) (any, error)

// Bind gives an object its methods. An operation NAME has two forms: NAME blocks and throws,
// asyncNAME returns a promise. The calls of one object run one after another.
func (m *Module) Bind(object *sobek.Object, operations map[string]Reader, functions map[string]Function) {
	tasks := make(map[string]k6x.Operation[*bound, *task], len(operations))
	for name, read := range operations {
		tasks[name] = func(_ *bound, call sobek.FunctionCall) (*task, error) {
			operation, err := read(call.Arguments)
			if err != nil {
				return nil, Misuse("%s: %s", name, err)
			}

			return &task{module: m, operation: operation}, nil
		}
	}
	methods := k6x.BothForms(tasks)
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

// bound is common to the methods of an object.
type bound struct{ tasks *k6x.Tasks }

// Tasks implements k6x.Tasker.
func (b *bound) Tasks() *k6x.Tasks { return b.tasks }

type task struct {
	module    *Module
	operation Operation
	work      Work
	took      time.Duration
}

// Do implements k6x.Task.
func (t *task) Do(ctx context.Context, _ bool) (err error) {
	begin := clock.Now()
	t.work, err = t.operation.Do(ctx)
	t.took = clock.Since(begin)

	return ended(ctx, err)
}

// Finish implements k6x.Task.
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

// ended returns err or, if the end of the test cut the operation off, an error for that.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return k6x.TestEnded()
	}

	return err
}

// Result has the totals of a Run.
type Result struct {
	Succeeded int
	Failed    int
	Seconds   float64
}

// Run does n operations one after another in Go, for a method such as client.run. Each counts under
// its own name. In a sweep, Run ends with the client's share of the step; in an open loop, each
// operation waits for its due time. Run throws in the init context, and when the test ends.
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
		m.Throw(k6x.TestEnded())
	}
	r.Seconds = clock.Since(begin).Seconds()

	return r
}

// contained does an operation; a panic is the error of an operation named run.
func contained(ctx context.Context, do func(context.Context) (string, Work, error)) (name string, work Work, err error) {
	defer crash.Catch(&err)
	name = "run"
	name, work, err = do(ctx)

	return name, work, ended(ctx, err)
}

// recorders has a recorder for each kind of operation in the VU's sweep session.
type recorders struct {
	session *k6x.Session
	byName  map[string]*measure.Recorder
}

func (r *recorders) of(session *k6x.Session) {
	if session != r.session {
		*r = recorders{session: session, byName: map[string]*measure.Recorder{}}
	}
}

// next waits until the next operation may begin: in an open loop, at its due time. It returns false
// at the end.
func (r *recorders) next() bool { return r.session == nil || r.session.Client.Next(1, nil) }

// record counts an operation in the step, and reports whether the client's share is done.
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
