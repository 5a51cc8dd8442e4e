package machbase

import (
	"context"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

type work struct {
	task

	options *runOptions
	draws   *draws
	// vu is the context of the VU's iteration, and counts its metrics. Copies here avoid cache
	// misses on the way to the VU, with hundreds of clients.
	vu     context.Context //nolint:containedctx // used during a run
	counts *k6x.Instruments
	// recorder records the operations of the step; nil outside of a sweep.
	recorder *measure.Recorder

	args   []any
	answer queryAnswer
	reader func(Rows) error

	received, sent          uint64
	succeeded, failed, read uint64
	took                    time.Duration
}

func (c *client) run(call sobek.FunctionCall) sobek.Value {
	c.MustRun()
	c.NotInOp("run")
	o, err := c.runOptions(call.Argument(0))
	if err != nil {
		c.Throw(err)
	}
	c.tasks.Wait()
	w := c.newWork(o)
	c.Tag(o.tags)
	defer c.Tag(k6x.Tags{})
	if err := w.run(); err != nil {
		c.Throw(err)
	}
	c.runs.LogFailures(w.failed, w.succeeded)

	return k6x.Plain(c.Runtime(), map[string]any{
		"succeeded": w.succeeded, "failed": w.failed, "rows": w.read, "seconds": w.took.Seconds(),
	})
}

func (c *client) newWork(o *runOptions) *work {
	if c.runs.Join() {
		clear(c.drawn)
	}
	if c.drawn[o.seed] == nil {
		index, clients, _ := c.runs.Place()
		c.drawn[o.seed] = newDraws(o.seed, index, clients)
	}
	w := &work{options: o, draws: c.drawn[o.seed], vu: c.VU().Context(), counts: c.Instruments}
	w.task = task{client: c, operation: opQuery, timeout: o.timeout, job: w.query, rows: &w.answer.count}
	w.reader = w.answer.read
	if o.exec != "" {
		w.operation, w.job, w.rows = opExec, w.exec, nil
	}
	if client := c.runs.Client(); client != nil {
		w.recorder = client.Recorder(c.runs.Op())
	}
	c.work = w

	return w
}

func (w *work) run() error {
	c := w.client
	c.mu.Lock()
	defer c.mu.Unlock()

	over := false
	err := c.runs.Do(func(ctx context.Context) error {
		defer func() { over = true }()
		c.connection.use(c.seat)
		start := clock.Now()
		defer func() { w.took = clock.Since(start) }()

		return w.until(ctx, start)
	})
	c.connection.use(nil)
	if !over {
		c.discard()
	}

	return err
}

func (w *work) until(ctx context.Context, start time.Duration) error {
	for done := uint64(0); done == 0 || done < w.options.iterations || clock.Since(start) < w.options.duration; done++ {
		if err := w.client.runs.Next(ctx, 1); err != nil {
			return err
		}
		if err := w.operate(); err != nil {
			return err
		}
	}

	return nil
}

// operate returns an error only if the next operation would fail in the same way.
func (w *work) operate() error {
	c := w.client
	c.seat.Begin()
	w.args = w.draws.parameters(w.options.params, w.args[:0])
	begin := clock.Now()
	w.recorded = w.firstRecord[:0]
	err := w.attempt(w.vu)
	took := clock.Since(begin)
	rows := int64(0)
	for i := range w.recorded {
		r := &w.recorded[i]
		if r.operation == opConnect {
			c.record(r)

			continue
		}
		rows = r.rows
		w.counts.Count(r.operation, r.err, int(r.rows))
		w.counts.Traffic(r.received, r.sent)
		w.received, w.sent = w.received+r.received, w.sent+r.sent
	}
	switch {
	case err == nil:
		w.succeeded++
		w.read += uint64(rows)
	case c.As(err).Kind == k6x.KindUsage:
		return err
	default:
		w.failed++
	}
	if w.recorder != nil {
		w.recorder.Rows(uint64(rows))
	}
	c.runs.Ended(w.recorder, took, err)

	return nil
}

func (w *work) query(ctx context.Context, conn Conn) error {
	w.answer.begin(false, w.options.expect)
	if err := conn.Query(ctx, w.options.query, w.args, w.reader); err != nil {
		return err
	}

	return w.options.minRows.check(w.answer.count)
}

func (w *work) exec(ctx context.Context, conn Conn) error {
	_, err := conn.Exec(ctx, w.options.exec, w.args)

	return err
}

type runTraffic struct{ *client }

// Traffic implements runs.Moving.
func (m runTraffic) Traffic() (received, sent uint64) {
	w := m.work
	received, sent = w.received, w.sent
	w.received, w.sent = 0, 0

	return received, sent
}
