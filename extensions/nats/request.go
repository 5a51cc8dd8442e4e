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

func (c *client) request(t *task) {
	m, o := t.outgoing(ofRequest)
	t.subject, t.timeout, t.brief = m.Subject, o.timeout, true
	var answer *natsio.Msg
	t.job = func(ctx context.Context, conn *connection, r *record) (err error) {
		answer, err = ask(ctx, conn, m, r)

		return err
	}
	t.value = func() (sobek.Value, error) { return c.message(t.conn, answer), nil }
}

func ask(ctx context.Context, conn *connection, m *natsio.Msg, r *record) (*natsio.Msg, error) {
	answer, err := conn.nc.RequestMsgWithContext(ctx, m)
	if err == nil {
		r.sent.add(m.Data)
		r.received.add(answer.Data)
	}

	return answer, err
}

// batch does operations in Go, one after another. In a sweep they are operations of the step.
type batch struct {
	client         *client
	runs           *workload.Runs
	recorder       *measure.Recorder // nil outside a sweep
	result         batchResult
	received, sent uint64 // bytes of the connection since the last call of Traffic
}

func newBatch(c *client) *batch {
	b := &batch{client: c}
	b.runs = workload.NewRuns(c.module, &c.shared.bench.Shared, b)

	return b
}

// join reports whether another step has begun.
func (b *batch) join(operation string) (another bool) {
	if another = b.runs.Join(); another {
		b.recorder = nil
		if client := b.runs.Client(); client != nil {
			b.recorder = client.Recorder(operation)
		}
	}

	return another
}

func (b *batch) do(o *messageOptions, one func(vu context.Context) (took time.Duration, err error)) error {
	vu, begin := b.client.VU().Context(), clock.Now()
	b.result = batchResult{}
	err := b.runs.Do(func(ctx context.Context) error {
		begin := clock.Now()
		for done := 0; !o.over(done, begin); done++ {
			if err := b.runs.Next(ctx, 1); err != nil {
				return err
			}
			took, err := one(vu)
			if err != nil {
				b.result.failed++
			} else {
				b.result.succeeded++
			}
			if vu.Err() == nil {
				b.runs.Ended(b.recorder, took, err)
			}
		}

		return nil
	})
	b.result.took = clock.Since(begin)

	return err
}

// Traffic implements workload.Moving.
func (b *batch) Traffic() (received, sent uint64) {
	received, sent = b.received, b.sent
	b.received, b.sent = 0, 0

	return received, sent
}

func (c *client) requestBatch(call sobek.FunctionCall) sobek.Value {
	a := c.args("requestBatch", call)
	m, o := a.outgoing(ofRequestBatch)
	a.checkExtent(o, 1)
	a.must()
	c.MustRun()
	b := &requests{batch: newBatch(c), message: m, options: o, over: c.runs()}
	if err := b.run(); err != nil {
		c.Throw(err)
	}

	return c.batchResult(&b.result)
}

type requests struct {
	*batch

	message *natsio.Msg
	options *messageOptions
	over    *runConnection
	task    *task
	record  record
	job     func(*wire.Conn) error
	header  []byte
	took    time.Duration
}

func (b *requests) run() error {
	b.join(opRequest)
	if b.over == nil {
		b.task = &task{
			args: args{client: b.client, tags: b.options.tags}, operation: opRequest, subject: b.message.Subject, timeout: b.options.timeout,
			brief: true, job: b.ask,
		}

		return b.do(b.options, b.overNatsGo)
	}
	b.job = b.send
	b.runs.TakeTurns(b.over.seat)
	b.over.begin()
	defer b.over.end()

	return b.do(b.options, b.direct)
}

func (b *requests) overNatsGo(vu context.Context) (took time.Duration, err error) {
	err = b.task.Do(vu, true)
	b.sent, b.received, took = b.task.counted()

	return took, err
}

func (b *requests) ask(ctx context.Context, conn *connection, r *record) error {
	b.message.Header = b.client.stamped(b.options.header)
	_, err := ask(ctx, conn, b.message, r)
	b.counted(r)

	return err
}

func (b *requests) direct(context.Context) (time.Duration, error) {
	c := b.client
	b.record = record{operation: opRequest, subject: c.subject(b.message.Subject), tags: b.options.tags}
	b.took = 0
	var err error
	b.sent, b.received, err = b.over.operate(&b.record, b.options.timeout, b.job)

	return b.took, c.silenced(opRequest, err)
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
		b.record.sent.add(m.Data)
		b.record.received.add(answer.Data)
		b.counted(&b.record)
	}

	return err
}

func (b *requests) counted(r *record) {
	b.result.sent, b.result.received = b.result.sent+r.sent.bytes, b.result.received+r.received.bytes
}
