package nats

import (
	"context"
	"errors"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

const opConnect = "connect"

// task is one call of a script, its arguments read: it is done at once, while the VU waits, or on a goroutine of its
// own, for a promise. What touches JavaScript or metrics is done on the VU's goroutine in both cases.
type task struct {
	operation string        // as the metrics have it
	subject   string        // as the metrics have it, if they do
	timeout   time.Duration // 0 for the client's
	brief     bool          // the job leaves nothing behind that its context would have to end
	bound     *connection   // what the job works on, though the client may have another one by now; nil for the client's
	// job does the work on the connection, on any goroutine, and adds what it has sent and received; nil to connect only.
	job func(ctx context.Context, conn *connection, r *record) error
	// value is what the script gets, made on the VU's goroutine; nil for undefined.
	value func() (sobek.Value, error)
}

// operation reads the arguments of a call of a method of T's.
type operation[T attached] = func(of T, call sobek.FunctionCall) (*task, error)

// attached is what has operations: a client, or what works through its connection.
type attached interface{ attachedTo() *client }

func (c *client) attachedTo() *client { return c }

// bothForms are the methods of each operation: name(...), which blocks and throws, and asyncName(...), which returns a promise.
func bothForms[T attached](operations map[string]operation[T]) k6glue.Methods[T] {
	methods := make(k6glue.Methods[T], 2*len(operations))
	for name, read := range operations {
		methods[name], methods[k6glue.AsyncName(name)] = blocking(read), promising(read)
	}

	return methods
}

// blocking is the form of an operation for which the VU waits.
func blocking[T attached](read operation[T]) k6glue.Method[T] {
	return func(of T, call sobek.FunctionCall) sobek.Value {
		c := of.attachedTo()
		t, err := read(of, call)
		if err != nil {
			c.throw(err)
		}

		return c.now(t)
	}
}

// promising is the form of an operation that returns a promise.
func promising[T attached](read operation[T]) k6glue.Method[T] {
	return func(of T, call sobek.FunctionCall) sobek.Value { return of.attachedTo().later(read(of, call)) }
}

// now does a task while the VU waits.
func (c *client) now(t *task) sobek.Value {
	c.done = c.done[:0]
	conn, err := c.perform(c.vu.Context(), t, &c.done)
	value, err := c.finish(t, conn, c.done, err)
	if err != nil {
		c.throw(err)
	}

	return value
}

// later does a task beside others, and returns its promise. k6 does not end the iteration before.
func (c *client) later(t *task, err error) sobek.Value {
	promise, resolve, reject := c.vu.Runtime().NewPromise()
	if err == nil && c.vu.State() == nil {
		err = misuse("a Client cannot be used in the init context; use it in setup() or in a scenario's function")
	}
	if err != nil {
		if err := reject(c.toJS(err)); err != nil {
			c.throw(err)
		}

		return c.vu.Runtime().ToValue(promise)
	}

	back := k6glue.RegisterCallback(c.vu)
	ctx := c.vu.Context()
	t.brief = false // others go on beside it
	go func() {
		defer crash.Contain("an asynchronous call")
		var recorded []record
		var conn *connection
		err := crash.Guard(func() (err error) {
			conn, err = c.perform(ctx, t, &recorded)

			return err
		})
		back(func() error {
			value, err := c.finish(t, conn, recorded, err)
			if err != nil {
				return reject(c.toJS(err))
			}

			return resolve(value)
		})
	}()

	return c.vu.Runtime().ToValue(promise)
}

// perform does a task, on any goroutine, and adds what is to be recorded of it.
func (c *client) perform(ctx context.Context, t *task, recorded *[]record) (*connection, error) {
	conn := t.bound
	if conn == nil {
		var err error
		if conn, err = c.acquire(ctx, recorded); err != nil || t.job == nil {
			return conn, err
		}
	}
	timeout := t.timeout
	if timeout == 0 {
		timeout = c.config.TimeoutEach
	}
	*recorded = append(*recorded, record{operation: t.operation, subject: c.subject(t.subject)})
	r := &(*recorded)[len(*recorded)-1]
	begin := time.Now()
	err := ctx.Err()
	if err == nil {
		err = c.work(ctx, t, conn, r, begin, timeout)
	}
	r.took = time.Since(begin)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, natsio.ErrTimeout) {
		if why := conn.refused(begin, t.subject); why != nil {
			err = why
		}
	}
	if why := conn.lie.Load(); err != nil && why != nil {
		err = why
	}
	r.err = explain(ctx, timeout, err)

	return conn, r.err
}

// work does a task's job, with a context that ends when the time is over.
func (c *client) work(
	ctx context.Context, t *task, conn *connection, r *record, begin time.Time, timeout time.Duration,
) (err error) {
	defer crash.Catch(&err)
	if t.brief {
		defer c.calls.End()

		return t.job(c.calls.Begin(ctx, begin, timeout), conn, r)
	}
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	return t.job(within, conn, r)
}

// explain says of an error whether the time was over, or the test.
func explain(ctx context.Context, timeout time.Duration, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errTestEnded()
	}
	e := asError(err)
	if e.Kind == KindTimeout && !errors.As(err, new(*Error)) {
		e.Message = "no answer within timeout (" + timeout.String() + ")"
	}

	return e
}

// finish records a task, and makes what the script gets.
func (c *client) finish(t *task, conn *connection, recorded []record, err error) (sobek.Value, error) {
	for i := range recorded {
		c.note(&recorded[i], conn)
	}
	switch {
	case err != nil:
		return nil, err
	case t.value == nil:
		return sobek.Undefined(), nil
	}

	return t.value()
}

// ready returns the connection for a method that has one form only. It throws where there is none.
func (c *client) ready() *connection {
	c.done = c.done[:0]
	conn, err := c.acquire(c.vu.Context(), &c.done)
	for i := range c.done {
		c.note(&c.done[i], conn)
	}
	if err != nil {
		c.throw(err)
	}

	return conn
}
