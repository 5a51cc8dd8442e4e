package k6x

import (
	"context"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// Task is a script's call with parsed arguments. It runs while the VU waits, or on a goroutine for
// a promise.
type Task interface {
	// Do does the work on any goroutine. It must not use JavaScript or metrics. waits is true if
	// the VU waits for the task.
	Do(ctx context.Context, waits bool) error
	// Finish records metrics and returns the script's result, on the VU's goroutine. err is Do's
	// error; Finish's error rejects the promise.
	Finish(err error) (sobek.Value, error)
}

// Tagged is a Task whose call has the option tags.
type Tagged interface{ CallTags() Tags }

// finish calls Finish with the call's tags set.
func (m *Module) finish(t Task, err error) (sobek.Value, error) {
	if tagged, is := t.(Tagged); is {
		m.Tag(tagged.CallTags())
		defer m.Tag(Tags{})
	}

	return t.Finish(err)
}

// Tasks runs the tasks of a Client.
type Tasks struct {
	module  *Module
	ordered bool
	// last is closed when the last ordered task is done; nil before the first.
	last chan struct{}
}

// NewTasks returns a Client's tasks. Ordered tasks run one after another in call order, for
// connections that handle one request at a time. Others run concurrently.
func (m *Module) NewTasks(ordered bool) *Tasks { return &Tasks{module: m, ordered: ordered} }

// Now runs a task while the VU waits, and throws its error.
func (q *Tasks) Now(t Task) sobek.Value {
	q.module.MustRun()
	q.Wait()
	value, err := q.module.finish(t, do(q.module.vu.Context(), t, true))
	if err != nil {
		q.module.Throw(err)
	}

	return value
}

// Later runs a task on a goroutine and returns its promise. err is an error from parsing the
// arguments. k6 does not end the iteration before the promise is settled.
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

	back := RegisterCallback(m.vu)
	ctx := m.vu.Context()
	var before, done chan struct{}
	if q.ordered {
		before, done = q.last, make(chan struct{})
		q.last = done
	}
	go func() {
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

// Wait waits for earlier ordered tasks. Methods that are not tasks use it.
func (q *Tasks) Wait() {
	if q.last != nil {
		<-q.last
		q.last = nil
	}
}

// do runs a task and turns a panic into an error of kind internal.
func do(ctx context.Context, t Task, waits bool) (err error) {
	defer crash.Catch(&err)

	return t.Do(ctx, waits)
}

// Operation parses the arguments of a method of T.
type Operation[T any, K Task] = func(of T, call sobek.FunctionCall) (K, error)

// Tasker is a client, or an object that works through one.
type Tasker interface{ Tasks() *Tasks }

// BothForms returns two methods for each operation: name(...), which blocks and throws, and
// asyncName(...), which returns a promise.
func BothForms[T Tasker, K Task](operations map[string]Operation[T, K]) Methods[T] {
	methods := make(Methods[T], 2*len(operations))
	for name, read := range operations {
		methods[name], methods[AsyncName(name)] = Blocking(read), Promising(read)
	}

	return methods
}

// Blocking returns the blocking form of an operation.
func Blocking[T Tasker, K Task](read Operation[T, K]) Method[T] {
	return func(of T, call sobek.FunctionCall) sobek.Value {
		q := of.Tasks()
		t, err := read(of, call)
		if err != nil {
			q.module.Throw(err)
		}

		return q.Now(t)
	}
}

// Promising returns the promise form of an operation.
func Promising[T Tasker, K Task](read Operation[T, K]) Method[T] {
	return func(of T, call sobek.FunctionCall) sobek.Value {
		t, err := read(of, call)

		return of.Tasks().Later(t, err)
	}
}
