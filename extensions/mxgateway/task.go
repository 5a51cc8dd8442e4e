package mxgateway

import (
	"cmp"
	"context"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

// task is one call of a script, its arguments read: it is done at once, while the VU waits, or on a goroutine of its own, for a
// promise. What touches JavaScript or metrics is done on the VU's goroutine in both cases.
type task struct {
	operation string
	// job does the work, on any goroutine. The client's lock is held.
	job func(ctx context.Context) error
	// counts are of the results, if the job has any.
	counts wire.Counts
	// value is what the script gets, made on the VU's goroutine; nil for undefined.
	value func() any

	unsent         bool // there was nothing to do
	took           time.Duration
	received, sent uint64
}

// operation reads the arguments of a call.
type operation = func(c *client, call sobek.FunctionCall) (*task, error)

// bothForms are the methods of each operation: name(...), which blocks and throws, and asyncName(...), which returns a promise.
func bothForms(operations map[string]operation) k6glue.Methods[*client] {
	methods := make(k6glue.Methods[*client], 2*len(operations))
	for name, read := range operations {
		methods[name] = func(c *client, call sobek.FunctionCall) sobek.Value {
			t, err := read(c, call)
			if err != nil {
				c.throw(err)
			}

			return c.now(t)
		}
		methods[k6glue.AsyncName(name)] = func(c *client, call sobek.FunctionCall) sobek.Value {
			return c.later(read(c, call))
		}
	}

	return methods
}

// now does a task while the VU waits.
func (c *client) now(t *task) sobek.Value {
	c.wait()
	err := c.perform(c.vu.Context(), t)
	value, err := c.finish(t, err)
	if err != nil {
		c.throw(err)
	}

	return value
}

// later does a task when those before it are done, and returns its promise. k6 does not end the iteration before.
func (c *client) later(t *task, err error) sobek.Value {
	promise, resolve, reject := c.vu.Runtime().NewPromise()
	if err == nil && c.vu.State() == nil {
		_, err = c.connected(c.vu.Context())
	}
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
		err := crash.Guard(func() error { return c.perform(ctx, t) })
		close(done)
		back(func() error {
			value, err := c.finish(t, err)
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

// perform does a task, on any goroutine. What it takes to connect is part of it.
func (c *client) perform(ctx context.Context, t *task) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	timed, stop := context.WithTimeout(ctx, c.config.Timeout)
	defer stop()
	before := c.conn
	begin := time.Now()
	err := crash.Guard(func() error { return t.job(timed) })
	t.took = time.Since(begin)
	if conn := cmp.Or(c.conn, before); conn != nil { // close has given it up, and its bytes count
		t.received, t.sent = conn.Traffic()
	}

	return err
}

// finish records a task, and makes what the script gets.
func (c *client) finish(t *task, err error) (sobek.Value, error) {
	c.instruments.Traffic(t.received, t.sent) // over a shared connection there may be bytes of others, even if the task sent none
	if !t.unsent && (err == nil || asError(err).Kind != wire.KindUsage) {
		c.instruments.count(t.operation, err, t.counts)
		c.instruments.EmitDuration(t.operation, err, t.took)
		if t.operation == opReadBulk {
			c.instruments.Step(0, t.received, t.sent)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case t.value == nil:
		return sobek.Undefined(), nil
	}

	return c.vu.Runtime().ToValue(t.value()), nil
}
