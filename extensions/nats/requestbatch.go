package nats

import (
	"context"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/wire"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const opRequest = "request"

func (c *client) requestBatch(call sobek.FunctionCall) sobek.Value {
	m, o, err := c.asking("requestBatch", call, ofRequestBatch)
	if err == nil {
		err = o.extent.check("requestBatch", 1)
	}
	if err != nil {
		c.Throw(err)
	}
	c.MustRun()
	b := &requests{client: c, message: m, options: o, over: c.runs()}
	if err := b.do(); err != nil {
		c.Throw(err)
	}

	return c.batchResult(&b.result)
}

type requests struct {
	client         *client
	message        *natsio.Msg
	options        *requestOptions
	over           *runConnection
	task           *task
	record         record
	job            func(*wire.Conn) error
	header         []byte
	runs           *workload.Runs
	recorder       *measure.Recorder
	result         batchResult
	took           time.Duration
	received, sent uint64
}

func (b *requests) do() error {
	c := b.client
	b.runs = workload.NewRuns(c.module, &c.shared.bench.Shared, b)
	b.runs.Join()
	if client := b.runs.Client(); client != nil {
		b.recorder = client.Recorder(opRequest)
	}
	if b.over == nil {
		b.task = &task{
			client: c, operation: opRequest, subject: b.message.Subject, tags: b.options.tags, timeout: b.options.timeout, brief: true, job: b.ask,
		}
	} else {
		b.job = b.send
		b.runs.TakeTurns(b.over.seat)
		b.over.begin()
		defer b.over.end()
	}
	vu, begin := c.VU().Context(), clock.Now()
	err := b.runs.Do(func(ctx context.Context) error { return b.until(ctx, vu) })
	b.result.took = clock.Since(begin)

	return err
}

func (b *requests) until(ctx, vu context.Context) error {
	begin := clock.Now()
	for done := 0; !b.options.extent.over(done, begin); done++ {
		if err := b.runs.Next(ctx, 1); err != nil {
			return err
		}
		if err := b.one(vu); err != nil {
			b.result.failed++
		} else {
			b.result.succeeded++
		}
	}

	return nil
}

func (b *requests) one(vu context.Context) error {
	c := b.client
	b.took = 0
	var err error
	if b.over != nil {
		b.record = record{operation: opRequest, subject: c.subject(b.message.Subject), tags: b.options.tags}
		b.sent, b.received, err = b.over.operate(&b.record, b.options.timeout, b.job)
		err = c.silenced(opRequest, err)
	} else {
		err = b.task.Do(vu, true)
		b.sent, b.received, b.took = b.task.counted()
	}
	if vu.Err() == nil {
		b.runs.Ended(b.recorder, b.took, err)
	}

	return err
}

func (b *requests) send(conn *wire.Conn) error {
	m := b.message
	if b.header == nil || b.client.config.Stamp {
		b.header = encoded(b.client.stamped(b.options.header))
	}
	begin := clock.Now()
	answer, err := conn.Request(m.Subject, b.header, m.Data, b.options.timeout)
	b.took = clock.Since(begin)
	if err == nil {
		b.answered(&b.record, answer.Data)
	}

	return err
}

func (b *requests) ask(ctx context.Context, conn *connection, r *record) error {
	m := b.message
	m.Header = b.client.stamped(b.options.header)
	answer, err := conn.nc.RequestMsgWithContext(ctx, m)
	if err == nil {
		b.answered(r, answer.Data)
	}

	return err
}

func (b *requests) answered(r *record, data []byte) {
	r.sent.add(b.message.Data)
	r.received.add(data)
	b.result.sent, b.result.received = b.result.sent+len(b.message.Data), b.result.received+len(data)
}

// Traffic implements workload.Moving.
func (b *requests) Traffic() (received, sent uint64) {
	received, sent = b.received, b.sent
	b.received, b.sent = 0, 0

	return received, sent
}
