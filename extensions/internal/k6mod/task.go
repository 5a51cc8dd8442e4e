package k6mod

import (
	"context"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// Task is one call of a script, its arguments read. It is done at once, while the VU waits, or on a
// goroutine of its own, for a promise.
type Task interface {
	// Do does the work, on any goroutine: it touches neither JavaScript nor metrics. waits tells
	// that the VU waits for it, as it does for one task at a time.
	Do(ctx context.Context, waits bool) error
	// Finish records what was done and makes what the script gets, on the VU's goroutine. err is
	// that of Do; what Finish returns is the promise's.
	Finish(err error) (sobek.Value, error)
}

// Tagged is a Task whose call may have the option tags.
type Tagged interface{ CallTags() Tags }

// finish is Finish of a task, whose samples have the call's tags.
func (m *Module) finish(t Task, err error) (sobek.Value, error) {
	if tagged, is := t.(Tagged); is {
		m.Tag(tagged.CallTags())
		defer m.Tag(Tags{})
	}

	return t.Finish(err)
}

// Tasks does the tasks of a Client.
type Tasks struct {
	module  *Module
	ordered bool
	// last is closed when the last task that has a promise is done; nil when there was none.
	last chan struct{}
}

// NewTasks returns the tasks of a Client. Ordered ones are done one after another, as they were
// begun: for connections that do one thing at a time. Others are done beside one another.
func (m *Module) NewTasks(ordered bool) *Tasks { return &Tasks{module: m, ordered: ordered} }

// Now does a task while the VU waits. It throws the task's error.
func (q *Tasks) Now(t Task) sobek.Value {
	q.module.MustRun()
	q.Wait()
	value, err := q.module.finish(t, do(q.module.vu.Context(), t, true))
	if err != nil {
		q.module.Throw(err)
	}

	return value
}

// Later does a task on a goroutine, and returns its promise. err is that of reading the arguments.
// k6 does not end the iteration before the promise is settled.
func (q *Tasks) Later(t Task, err error) sobek.Value {
	m := q.module
	promise, resolve, reject := m.Runtime().NewPromise()
	if err == nil && m.vu.State() == nil {
		err = ErrInit
	}
	if err != nil {
		if err := reject(m.NewError(err)); err != nil {
			m.Throw(err)
		}

		return m.Runtime().ToValue(promise)
	}

	back := k6glue.RegisterCallback(m.vu)
	ctx := m.vu.Context()
	var before, done chan struct{}
	if q.ordered {
		before, done = q.last, make(chan struct{})
		q.last = done
	}
	go func() {
		defer crash.Contain("an asynchronous call")
		if before != nil {
			<-before
		}
		err := do(ctx, t, false)
		if done != nil {
			close(done)
		}
		back(func() error {
			value, err := m.finish(t, err)
			if err != nil {
				return reject(m.NewError(err))
			}

			return resolve(value)
		})
	}()

	return m.Runtime().ToValue(promise)
}

// Wait waits for the ordered tasks that were begun before, and whose promises nobody may have
// waited for. It is for methods that are no tasks.
func (q *Tasks) Wait() {
	if q.last != nil {
		<-q.last
		q.last = nil
	}
}

// do does a task. The error of its panic is of kind internal.
func do(ctx context.Context, t Task, waits bool) (err error) {
	defer crash.Catch(&err)

	return t.Do(ctx, waits)
}

// Operation reads the arguments of a call of a method of T's.
type Operation[T any, K Task] = func(of T, call sobek.FunctionCall) (K, error)

// Tasker is what has operations: a client, or what works through one.
type Tasker interface{ Tasks() *Tasks }

// BothForms are the methods of each operation: name(...), which blocks and throws, and
// asyncName(...), which returns a promise.
func BothForms[T Tasker, K Task](operations map[string]Operation[T, K]) k6glue.Methods[T] {
	methods := make(k6glue.Methods[T], 2*len(operations))
	for name, read := range operations {
		methods[name], methods[k6glue.AsyncName(name)] = Blocking(read), Promising(read)
	}

	return methods
}

// Blocking is the form of an operation for which the VU waits.
func Blocking[T Tasker, K Task](read Operation[T, K]) k6glue.Method[T] {
	return func(of T, call sobek.FunctionCall) sobek.Value {
		q := of.Tasks()
		t, err := read(of, call)
		if err != nil {
			q.module.Throw(err)
		}

		return q.Now(t)
	}
}

// Promising is the form of an operation that returns a promise.
func Promising[T Tasker, K Task](read Operation[T, K]) k6glue.Method[T] {
	return func(of T, call sobek.FunctionCall) sobek.Value {
		t, err := read(of, call)

		return of.Tasks().Later(t, err)
	}
}
