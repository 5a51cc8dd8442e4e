package nats

import (
	"context"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// opRequest is the operation of a step that each request of a batch is.
const opRequest = "request"

// requestBatch is client.requestBatch(subject, data, options): requests one after another, in Go,
// as many as options.iterations or for as long as options.duration, each an operation of the step.
// Those that fail are counted, and throw nothing.
func (c *client) requestBatch(call sobek.FunctionCall) sobek.Value {
	m, o, err := c.asking("requestBatch", call, ofRequestBatch)
	if err == nil {
		err = o.extent.check("requestBatch", 1)
	}
	if err != nil {
		c.Throw(err)
	}
	b := &requests{client: c, message: m, options: o}
	b.task = &task{client: c, operation: opRequest, subject: m.Subject, tags: o.tags, timeout: o.timeout, brief: true, job: b.ask}
	if sweep := c.Session(); sweep != nil {
		b.sweep, b.recorder = sweep, sweep.Client.Recorder(opRequest)
	}
	ctx := c.VU().Context()
	begin := clock.Now()
	for done := 0; !o.extent.over(done, begin); done++ {
		err := b.one(ctx)
		if ctx.Err() != nil {
			c.Throw(k6mod.TestEnded())
		}
		if err != nil {
			b.result.failed++
		} else {
			b.result.succeeded++
		}
		if b.sweep != nil && b.sweep.Client.Enough() {
			break
		}
	}
	c.Emit()

	b.result.took = clock.Since(begin)

	return c.batchResult(&b.result)
}

// requests are those of one call.
type requests struct {
	client  *client
	message *natsio.Msg
	options *requestOptions
	task    *task
	// sweep is the session of the sweep that recorder belongs to; nil outside of a sweep.
	sweep    *k6glue.Session
	recorder *measure.Recorder
	result   batchResult
}

// one asks once, and counts that.
func (b *requests) one(ctx context.Context) error {
	c := b.client
	err := b.task.Do(ctx, true)
	sent, received, took := b.task.counted()
	c.Elapsed(took)
	if b.recorder != nil {
		if err != nil {
			b.recorder.FailAfter(took, err)
		} else {
			b.recorder.Ok(took)
		}
		b.recorder.Bytes(sent, received)
	}

	return err
}

// ask is the task of each.
func (b *requests) ask(ctx context.Context, conn *connection, r *record) error {
	m := b.message
	m.Header = b.client.stamped(b.options.header)
	answer, err := conn.nc.RequestMsgWithContext(ctx, m)
	if err == nil {
		r.sent.add(m.Data)
		r.received.add(answer.Data)
		b.result.sent, b.result.received = b.result.sent+len(m.Data), b.result.received+len(answer.Data)
	}

	return err
}
