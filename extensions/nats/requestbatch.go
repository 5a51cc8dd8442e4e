package nats

import (
	"context"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// requestBatch is client.requestBatch(subject, data, options): options.count requests one after another, in Go, each an operation of the
// step. Those that fail are counted, and throw nothing.
func (c *client) requestBatch(call sobek.FunctionCall) sobek.Value {
	m, err := c.outgoing("requestBatch", call)
	if err != nil {
		c.throw(err)
	}
	o, err := c.readRequestOptions("requestBatch", call.Argument(2))
	if err != nil {
		c.throw(err)
	}
	b := &requests{client: c, message: m, options: o}
	b.task = &task{operation: opRequest, subject: m.Subject, timeout: o.timeout, brief: true, job: b.ask}
	if session := k6glue.SessionOf(c.vu); session != nil {
		b.session, b.recorder = session, session.Client.Recorder(opRequest)
	}
	ctx := c.vu.Context()
	begin := time.Now()
	for range max(o.count, 1) {
		err := b.one(ctx)
		if ctx.Err() != nil {
			c.throw(errTestEnded())
		}
		if err != nil {
			b.failed++
		} else {
			b.ok++
		}
		if b.session != nil && b.session.Client.Enough() {
			break
		}
	}
	c.instruments.meter.Emit()

	return c.plainObject(map[string]any{"ops": b.ok, "failed": b.failed, "seconds": time.Since(begin).Seconds()})
}

// requests are those of one call.
type requests struct {
	client     *client
	message    *natsio.Msg
	options    *requestOptions
	task       *task
	session    *k6glue.Session // nil: outside of a sweep
	recorder   *measure.Recorder
	ok, failed int
}

// one asks once, and counts that.
func (b *requests) one(ctx context.Context) error {
	c := b.client
	c.done = c.done[:0]
	conn, err := c.perform(ctx, b.task, &c.done)
	sent, received, took := c.counted(conn)
	c.instruments.meter.Elapsed(took)
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
	}

	return err
}
