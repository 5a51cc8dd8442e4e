package machbase

import (
	"context"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// task is one call of a script, with its arguments. JavaScript and metrics belong to the VU's
// goroutine.
type task struct {
	client    *client
	operation string
	timeout   time.Duration
	tags      k6x.Tags
	// requires checks the connection, which may be nil, before the job. If it fails, no call is
	// recorded.
	requires func(*connection) error
	// job runs in any goroutine; nil: only connect.
	job     job
	rows    *int64
	settled func()
	value   func() (sobek.Value, error)
	over    func()

	recorded    []record
	firstRecord [1]record
}

type operation[T k6x.Tasker] = k6x.Operation[T, *task]

// CallTags implements k6x.Tagged.
func (t *task) CallTags() k6x.Tags { return t.tags }

// Do implements k6x.Task.
func (t *task) Do(ctx context.Context, _ bool) error {
	t.recorded = t.firstRecord[:0]
	t.client.mu.Lock()
	defer t.client.mu.Unlock()

	return t.attempt(ctx)
}

// The caller holds the client's mu.
func (t *task) attempt(ctx context.Context) error {
	c := t.client
	if t.requires != nil {
		if err := t.requires(c.connection); err != nil {
			return err
		}
	}
	if err := c.ensure(ctx, t); err != nil || t.job == nil {
		return err
	}

	begin := clock.Now()
	err := c.connection.do(ctx, t.timeout, t.job)
	r := record{operation: t.operation, took: clock.Since(begin)}
	broken := c.connection.broken
	if err != nil {
		e := c.As(err)
		r.err, broken = &e, broken || breaks(&e)
	} else if t.rows != nil {
		r.rows = *t.rows
	}
	r.received, r.sent = c.connection.traffic()
	t.recorded = append(t.recorded, r)
	if broken {
		c.discard()
	}

	return r.err
}

// Finish implements k6x.Task.
func (t *task) Finish(err error) (sobek.Value, error) {
	if t.over != nil {
		defer t.over()
	}
	for i := range t.recorded {
		t.client.record(&t.recorded[i])
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
