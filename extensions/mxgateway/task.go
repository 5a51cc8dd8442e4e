package mxgateway

import (
	"cmp"
	"context"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

type task struct {
	client    *client
	operation string
	tags      k6x.Tags
	job       func(ctx context.Context) error
	counts    wire.Counts
	value     func() any

	unsent         bool
	took           time.Duration
	received, sent uint64
}

type operation = k6x.Operation[*client, *task]

// CallTags implements k6x.Tagged.
func (t *task) CallTags() k6x.Tags { return t.tags }

// Do implements k6x.Task. Its duration includes connecting.
func (t *task) Do(ctx context.Context, _ bool) error {
	c := t.client
	c.mu.Lock()
	defer c.mu.Unlock()
	timed, stop := context.WithTimeout(ctx, c.config.Timeout)
	defer stop()
	before, begin := c.conn, clock.Now()
	defer func() {
		t.took = clock.Since(begin)
		if conn := cmp.Or(c.conn, before); conn != nil { // close has removed it, but its bytes count
			t.received, t.sent = conn.Traffic()
		}
	}()

	return t.job(timed)
}

// Finish implements k6x.Task.
func (t *task) Finish(err error) (sobek.Value, error) {
	c := t.client
	c.Traffic(t.received, t.sent) // a shared connection may have bytes of others, even if the task sent none
	if !t.unsent && (err == nil || c.As(err).Kind != k6x.KindUsage) {
		c.count(t.operation, err, t.counts)
		c.EmitDuration(t.operation, err, t.took)
		if t.operation == opReadBulk {
			c.Step(0, t.received, t.sent)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case t.value == nil:
		return sobek.Undefined(), nil
	}

	return k6x.Plain(c.Runtime(), t.value()), nil
}
