package machbase

import (
	"context"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// work is a run under way: what it does again and again, and what came of it.
type work struct {
	task

	options *runOptions
	draws   *draws
	// vu is the context of the VU's iteration, and counts what counts for it. Both are kept here, as
	// of hundreds of clients each finds the way to them outside of the processor's caches.
	vu     context.Context //nolint:containedctx // the run is within it
	counts *k6mod.Instruments
	// recorder is that of the operation that the step is of; nil outside of a sweep.
	recorder *measure.Recorder

	args   []any
	answer queryAnswer
	// reader is the answer's.
	reader func(Rows) error

	received, sent          uint64 // that nobody has asked for yet
	succeeded, failed, read uint64
	took                    time.Duration
}

// run is client.run(options): many operations, done in Go. See index.d.ts.
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
	defer c.Tag(k6mod.Tags{})
	if err := w.run(); err != nil {
		c.Throw(err)
	}
	c.runs.Tell(w.failed, w.succeeded)

	return k6glue.Plain(c.Runtime(), map[string]any{
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

// run does the operations. Nobody else uses the client until they are over.
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
	if !over { // its loop has failed: nobody knows how far the job has come
		c.lost()
	}

	return err
}

// until does operations until as many are done as the options say, or for as long.
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

// operate does one operation and counts it. It returns an error for one that could not be any
// better the next time.
func (w *work) operate() error {
	c := w.client
	c.seat.Begin()
	w.args = w.draws.parameters(w.options.params, w.args[:0])
	begin := clock.Now()
	w.recorded = w.room[:0]
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
	case c.As(err).Kind == k6mod.KindUsage:
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

// moving is the client in the part of runs.Moving.
type moving struct{ *client }

// Traffic implements runs.Moving: the bytes are those of operations.
func (m moving) Traffic() (received, sent uint64) {
	w := m.work
	received, sent = w.received, w.sent
	w.received, w.sent = 0, 0

	return received, sent
}
