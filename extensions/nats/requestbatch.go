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
	session    *k6glue.Session // nil: outside of a sweep
	recorder   *measure.Recorder
	ok, failed int
}

// one asks once, and counts that.
func (b *requests) one(ctx context.Context) error {
	c, m := b.client, b.message
	c.done = c.done[:0]
	conn, err := c.perform(ctx, &task{
		operation: opRequest, subject: m.Subject, timeout: b.options.timeout,
		job: func(ctx context.Context, conn *connection, r *record) error {
			asked := natsio.Msg{Subject: m.Subject, Data: m.Data, Header: c.stamped(b.options.header)}
			answer, err := conn.nc.RequestMsgWithContext(ctx, &asked)
			if err == nil {
				r.sent.add(m.Data)
				r.received.add(answer.Data)
			}

			return err
		},
	}, &c.done)
	sent, received, took := c.counted(conn)
	if b.recorder != nil {
		if err != nil {
			b.recorder.Fail(err)
		} else {
			b.recorder.Ok(took)
		}
		b.recorder.Bytes(sent, received)
	}

	return err
}
