package machbase

import (
	"context"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
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
	// reader is the answer's, and answered reads one that was waited for between turns.
	reader   func(Rows) error
	answered job

	// start is when the run began, and begin when the operation under way did; done is how many have
	// ended.
	start, begin time.Duration
	done         uint64

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

	return c.Runtime().ToValue(map[string]any{
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
	w.reader, w.answered = w.answer.read, w.readPosted
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
	err := c.runs.Turns(func(ctx context.Context) (more bool, err error) {
		if w.start == 0 {
			c.connection.use(c.seat)
			w.start = clock.Now()
			w.touches()
		}
		if more, err = w.turn(ctx); !more {
			over, w.took = true, clock.Since(w.start)
		}

		return more, err
	})
	c.connection.use(nil)
	if !over { // its loop has failed: nobody knows how far the job has come
		c.lost()
	}

	return err
}

// touches says which memory the turns of the run touch.
func (w *work) touches() {
	c := w.client
	c.runs.Touches(eventloop.MemoryOf(w), eventloop.MemoryOf(c), eventloop.MemoryOf(c.connection), eventloop.MemoryOf(w.draws),
		eventloop.MemoryOf(w.counts))
	if w.recorder != nil {
		c.runs.Touches(eventloop.MemoryOf(w.recorder))
	}
}

// turn does operations up to one whose answer is to be waited for between turns, until as many are
// done as the options say, or for as long: then there are no more.
func (w *work) turn(ctx context.Context) (more bool, err error) {
	if w.posted {
		w.goOn(w.answered)
		if err := w.ended(w.end()); err != nil {
			return false, err
		}
	}
	for w.done == 0 || w.done < w.options.iterations || clock.Since(w.start) < w.options.duration {
		if err := w.client.runs.Next(ctx); err != nil {
			return false, err
		}
		w.client.seat.Begin()
		w.args = w.draws.parameters(w.options.params, w.args[:0])
		w.begin = clock.Now()
		w.recorded = w.room[:0]
		err := w.task.begin(w.vu)
		if w.posted {
			return true, nil
		}
		if err == nil {
			err = w.end()
		}
		if err := w.ended(err); err != nil {
			return false, err
		}
	}

	return false, nil
}

// ended counts an operation. It returns an error for one that could not be any better the next
// time.
func (w *work) ended(err error) error {
	c := w.client
	took := clock.Since(w.begin)
	w.done++
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
	if err == nil {
		w.succeeded++
		w.read += uint64(rows)
	} else if c.As(err).Kind == k6mod.KindUsage {
		return err
	} else {
		w.failed++
	}
	if w.recorder != nil {
		w.recorder.Rows(uint64(rows))
	}
	c.runs.Ended(w.recorder, took, err)

	return nil
}

func (w *work) query(ctx context.Context, conn Conn) (err error) {
	w.answer.begin(false, w.options.expect)
	if p, can := conn.(poster); can {
		if w.posted, err = p.Post(ctx, w.options.query, w.args); w.posted || err != nil {
			return err
		}
	}

	return w.answers(conn.Query(ctx, w.options.query, w.args, w.reader))
}

// readPosted reads the answer to a query that was posted.
func (w *work) readPosted(ctx context.Context, conn Conn) error {
	return w.answers(conn.(poster).Posted(ctx, w.reader)) //nolint:forcetypeassert // it was one then
}

// answers says whether an answer, which was read, is one.
func (w *work) answers(err error) error {
	if err != nil {
		return err
	}
	if rows := uint64(w.answer.count); rows < w.options.minRows {
		return k6mod.Errorf(kindExpect, "the answer has %d rows, not %d at least", rows, w.options.minRows)
	}

	return nil
}

func (w *work) exec(ctx context.Context, conn Conn) error {
	_, err := conn.Exec(ctx, w.options.exec, w.args)

	return err
}

// traffic returns the bytes of operations since it was last asked.
func (c *client) traffic() (received, sent uint64) {
	w := c.work
	received, sent = w.received, w.sent
	w.received, w.sent = 0, 0

	return received, sent
}
