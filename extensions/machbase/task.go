package machbase

import (
	"context"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// task is one call of a script, its arguments read: it is done at once, while the VU waits, or on a goroutine of its
// own, for a promise. What touches JavaScript or metrics is done on the VU's goroutine in both cases.
type task struct {
	operation string // as the metrics have it
	timeout   time.Duration
	// requires is asked first, when the session (or that there is none) matters; no call is recorded when it fails.
	requires func(*session) error
	// job does the work on the connection, on any goroutine; nil to connect only.
	job func(Conn) error
	// rows is how many rows the job came to; nil for none.
	rows *int64
	// again tells after a job without an error whether to do it once more, and how long to wait before; nil for no.
	again func() (wait time.Duration, more bool, err error)
	// settled takes note of what became of it, on the VU's goroutine; nil for nothing.
	settled func()
	// value is what the script gets, made on the VU's goroutine; nil for undefined.
	value func() (sobek.Value, error)
	// over is called after all that, on the VU's goroutine; nil for nothing.
	over func()
}

// operation reads the arguments of a call of a method of T's.
type operation[T attached] = func(of T, call sobek.FunctionCall) (*task, error)

// attached is what has operations: a client, or what belongs to one.
type attached interface{ attachedTo() *client }

func (c *client) attachedTo() *client { return c }

// bothForms are the methods of each operation: name(...), which blocks and throws, and asyncName(...), which returns a promise.
func bothForms[T attached](operations map[string]operation[T]) k6glue.Methods[T] {
	methods := make(k6glue.Methods[T], 2*len(operations))
	for name, read := range operations {
		methods[name] = func(of T, call sobek.FunctionCall) sobek.Value {
			c := of.attachedTo()
			t, err := read(of, call)
			if err != nil {
				c.throw(err)
			}

			return c.now(t)
		}
		methods[k6glue.AsyncName(name)] = func(of T, call sobek.FunctionCall) sobek.Value {
			return of.attachedTo().later(read(of, call))
		}
	}

	return methods
}

// now does a task while the VU waits.
func (c *client) now(t *task) sobek.Value {
	c.wait()
	c.done = c.done[:0]
	err := c.perform(c.vu.Context(), t, &c.done)
	value, err := c.finish(t, c.done, err)
	if err != nil {
		c.throw(err)
	}

	return value
}

// later does a task when those before it are done, and returns its promise. k6 does not end the iteration before.
func (c *client) later(t *task, err error) sobek.Value {
	promise, resolve, reject := c.vu.Runtime().NewPromise()
	if err != nil {
		if err := reject(c.toJS(err)); err != nil {
			c.throw(err)
		}

		return c.vu.Runtime().ToValue(promise)
	}

	back := k6glue.RegisterCallback(c.vu)
	ctx, before, done := c.vu.Context(), c.queued, make(chan struct{})
	c.queued = done
	go func() {
		defer crash.Contain("an asynchronous call")
		if before != nil {
			<-before
		}
		var recorded []record
		err := crash.Guard(func() error { return c.perform(ctx, t, &recorded) })
		close(done)
		back(func() error {
			value, err := c.finish(t, recorded, err)
			if err != nil {
				return reject(c.toJS(err))
			}

			return resolve(value)
		})
	}()

	return c.vu.Runtime().ToValue(promise)
}

// wait waits for the tasks that were begun before, and whose promises nobody may have waited for.
func (c *client) wait() {
	if c.queued != nil {
		<-c.queued
		c.queued = nil
	}
}

// perform does a task, on any goroutine, and adds what is to be recorded of it.
func (c *client) perform(ctx context.Context, t *task, recorded *[]record) error {
	for {
		err := c.call(ctx, t, recorded)
		if err != nil || t.again == nil {
			return err
		}
		wait, more, err := t.again()
		if err != nil || !more {
			return err
		}
		select {
		case <-ctx.Done():
			return errTestEnded()
		case <-time.After(wait):
		}
	}
}

// call does the job of a task once.
func (c *client) call(ctx context.Context, t *task, recorded *[]record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.requires != nil {
		if err := t.requires(c.session); err != nil {
			return err
		}
	}
	if err := c.ensure(ctx, recorded); err != nil || t.job == nil {
		return err
	}

	begin := time.Now()
	err := c.session.do(ctx, t.timeout, t.job)
	r := record{operation: t.operation, outcome: outcomeOK, took: time.Since(begin)}
	if err != nil {
		r.outcome = err.Kind
	} else if t.rows != nil {
		r.rows = *t.rows
	}
	r.received, r.sent = c.session.traffic()
	*recorded = append(*recorded, r)

	if c.session.broken {
		c.lost()
	}
	if err == nil {
		return nil
	}

	return err
}

// finish records a task, and makes what the script gets.
func (c *client) finish(t *task, recorded []record, err error) (sobek.Value, error) {
	if t.over != nil {
		defer t.over()
	}
	for i := range recorded {
		c.instruments.record(&recorded[i])
		c.account(&recorded[i])
	}
	if t.settled != nil {
		t.settled()
	}
	switch {
	case err != nil:
		return nil, err
	case t.value == nil:
		return sobek.Undefined(), nil
	}

	return t.value()
}
