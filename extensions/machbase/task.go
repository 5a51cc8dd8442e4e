package machbase

import (
	"context"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
)

// task is one call of a script, its arguments read. What touches JavaScript or metrics is done on
// the VU's goroutine.
type task struct {
	client *client
	// operation names it in the metrics.
	operation string
	timeout   time.Duration
	// tags are those of the call's samples.
	tags k6mod.Tags
	// requires is asked first, when the connection (or that there is none) matters; no call is
	// recorded when it fails.
	requires func(*connection) error
	// job does the work on the connection, on any goroutine; nil to connect only.
	job job
	// rows is how many rows the job has read or appended; nil for none.
	rows *int64
	// again tells after a job without an error whether to do it once more, and how long to wait
	// before; nil for no.
	again func() (wait time.Duration, more bool, err error)
	// settled takes note of the result, on the VU's goroutine; nil for nothing.
	settled func()
	// value is what the script gets, made on the VU's goroutine; nil for undefined.
	value func() (sobek.Value, error)
	// over is called after all that, on the VU's goroutine; nil for nothing.
	over func()

	// recorded are the calls that were done. The first of them are in room.
	recorded []record
	room     [1]record
}

// operation reads the arguments of a call of a method of T's.
type operation[T k6mod.Tasker] = k6mod.Operation[T, *task]

// CallTags implements k6mod.Tagged.
func (t *task) CallTags() k6mod.Tags { return t.tags }

// Do implements k6mod.Task.
func (t *task) Do(ctx context.Context, _ bool) error {
	t.recorded = t.room[:0]
	for {
		err := t.call(ctx)
		if err != nil || t.again == nil {
			return err
		}
		wait, more, err := t.again()
		if err != nil || !more {
			return err
		}
		select {
		case <-ctx.Done():
			return k6mod.TestEnded()
		case <-time.After(wait):
		}
	}
}

// call does the job once, when nobody else uses the client.
func (t *task) call(ctx context.Context) error {
	t.client.mu.Lock()
	defer t.client.mu.Unlock()

	return t.attempt(ctx)
}

// attempt is call for who holds the client's mu.
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
		c.lost()
	}

	return r.err
}

// Finish implements k6mod.Task.
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
