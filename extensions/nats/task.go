package nats

import (
	"context"
	"errors"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

const opConnect = "connect"

type task struct {
	client             *client
	operation, subject string
	tags               *k6x.Tags
	timeout            time.Duration
	// brief means that no goroutine outlives the job and its context.
	brief bool
	// on is the connection that the job needs, even if the client has a new one; nil: the client's.
	on   *connection
	runs bool
	// job does the work, and counts the messages in its record; nil: only connect.
	job   func(ctx context.Context, conn *connection, r *record) error
	value func() (sobek.Value, error)

	conn     *connection
	recorded []record
}

type operation[T k6x.Tasker] = k6x.Operation[T, *task]

// Do implements k6x.Task.
func (t *task) Do(ctx context.Context, waits bool) error {
	c := t.client
	t.conn, t.recorded = t.on, nil
	if waits {
		t.recorded = c.room[:0]
	} else {
		t.brief = false // other tasks run at the same time
	}
	if rc := t.runsConnection(); rc != nil {
		err := rc.connect(ctx, &t.recorded)
		t.tagConnect()

		return err
	}
	if t.conn == nil {
		var err error
		t.conn, err = c.acquire(ctx, &t.recorded)
		t.tagConnect()
		if err != nil || t.job == nil {
			return err
		}
	}
	timeout := t.timeout
	if timeout == 0 {
		timeout = c.config.TimeoutEach
	}
	t.recorded = append(t.recorded, record{operation: t.operation, subject: c.subject(t.subject), tags: t.tags})
	r := &t.recorded[len(t.recorded)-1]
	at, begin := time.Now(), clock.Now()
	err := ctx.Err()
	if err == nil {
		err = t.work(ctx, r, at, timeout)
	}
	r.took = clock.Since(begin)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, natsio.ErrTimeout) {
		if why := t.conn.refused(at, t.subject); why != nil {
			err = why
		}
	}
	if why := t.conn.lie.Load(); err != nil && why != nil {
		err = why
	}
	r.err = explain(ctx, timeout, t.conn.withoutJetStream(t.operation, err))

	if !waits {
		return r.err
	}

	return c.silenced(t.operation, r.err)
}

func (t *task) runsConnection() *runConnection {
	if !t.runs {
		return nil
	}

	return t.client.runs()
}

func (t *task) tagConnect() {
	if t.job != nil {
		return
	}
	for i := range t.recorded {
		t.recorded[i].tags = t.tags
	}
}

// A callback of the same VU cannot answer while the VU waits.
func (c *client) silenced(operation string, err error) error {
	if operation != opRequest || c.callbacks.Load() == 0 {
		return err
	}
	e, is := errors.AsType[*k6x.Error](err)
	if !is || e.Kind != k6x.KindTimeout {
		return err
	}
	hinted := *e
	hinted.Message += "; callbacks of this VU cannot answer while request waits: use asyncRequest"

	return &hinted
}

func (t *task) work(ctx context.Context, r *record, begin time.Time, timeout time.Duration) (err error) {
	defer crash.Catch(&err)
	if t.brief {
		calls := &t.client.calls
		defer calls.End()

		return t.job(calls.Begin(ctx, begin, timeout), t.conn, r)
	}
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	return t.job(within, t.conn, r)
}

func explain(ctx context.Context, timeout time.Duration, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return k6x.TestEnded()
	}
	if own, is := errors.AsType[*k6x.Error](err); is {
		return own
	}
	e := scriptError(err)
	if e.Kind == k6x.KindTimeout {
		e.Message = "no answer within timeout (" + timeout.String() + ")"
	}

	return &e
}

// Finish implements k6x.Task.
func (t *task) Finish(err error) (sobek.Value, error) {
	t.client.noteAll(t.recorded, t.conn)
	switch {
	case err != nil:
		return nil, err
	case t.value == nil:
		return sobek.Undefined(), nil
	}

	return t.value()
}

// counted returns the operation's bytes, without connecting, and its duration.
func (t *task) counted() (sent, received uint64, took time.Duration) {
	c := t.client
	for i := range t.recorded {
		r := &t.recorded[i]
		if r.operation == opConnect {
			c.note(r, t.conn)

			continue
		}
		sent, received = t.conn.claim(c.module)
		took = r.took
		c.instruments.add(r)
	}

	return sent, received, took
}

func (c *client) ready() *connection {
	recorded := c.room[:0]
	conn, err := c.acquire(c.VU().Context(), &recorded)
	c.noteAll(recorded, conn)
	if err != nil {
		c.Throw(err)
	}

	return conn
}
