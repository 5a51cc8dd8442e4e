package mxgateway

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib/types"
	"google.golang.org/grpc/codes"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// unavailablePause is how long a run waits after UNAVAILABLE. Without it, a stopped server would
// count as hundreds of thousands of failed calls per second.
const unavailablePause = 100 * time.Millisecond

type runOptions struct {
	// The option tags is for samples, as in other calls.
	Addresses  []string           `json:"addresses"`
	Iterations *int64             `json:"iterations"`
	Duration   types.NullDuration `json:"duration"`
	Wait       types.NullDuration `json:"wait"`
	Tally      string             `json:"tally"`
	Tags       k6x.Tags           `json:"tags"`
}

func (o *runOptions) validate(inSweep bool) error {
	switch {
	case o.Iterations != nil && *o.Iterations <= 0:
		return fmt.Errorf("option iterations must be a positive integer, not %d", *o.Iterations)
	case o.Duration.Valid && o.Duration.TimeDuration() <= 0:
		return fmt.Errorf("option duration must be more than 0, not %s", o.Duration.TimeDuration())
	case o.Iterations != nil && o.Duration.Valid:
		return errors.New("options iterations and duration exclude each other")
	case !inSweep && o.Iterations == nil && !o.Duration.Valid:
		return errors.New("outside of a step of client-sweep, option iterations or duration must be given")
	default:
		return nil
	}
}

func (c *client) run(call sobek.FunctionCall) sobek.Value {
	c.NotInOp("run")
	c.tasks.Wait()
	sweep := k6x.SessionOf(c.VU())
	var o runOptions
	if options, is := call.Argument(0).(*sobek.Object); is && isArray(options.Get("tags")) {
		c.Misuse("run: option tags is for samples, such as { name: 'a' }; the tags to read belong in option addresses")
	}
	if err := k6x.ReadOptions(call.Argument(0), &o); err != nil {
		c.Misuse("run: %s", err)
	}
	if err := o.validate(sweep != nil); err != nil {
		c.Misuse("run: %s", err)
	}
	r, err := c.newRun(&o, sweep)
	if err != nil {
		c.Throw(err)
	}
	c.Tag(o.Tags)
	err = r.work(c.VU().Context())
	c.Emit()
	c.Tag(k6x.Tags{})
	r.reportCached()
	if err != nil {
		c.Throw(err)
	}

	return k6x.Plain(c.Runtime(), map[string]any{
		"succeeded": r.calls - r.failed, "failed": r.failed, "seconds": r.took.Seconds(),
		"bytesSent": r.bytesSent, "bytesReceived": r.bytesReceived, "dataSent": r.dataSent, "dataReceived": r.dataReceived,
		"results": r.total.Results, "cached": r.total.Cached, "failedResults": r.total.Failed,
	})
}

func isArray(value sobek.Value) bool {
	object, is := value.(*sobek.Object)

	return is && object.ClassName() == "Array"
}

type run struct {
	client *client
	sweep  *k6x.Session
	op     *measure.Recorder
	read   *wire.RepeatedRead
	conn   *wire.Conn
	tally  *tally
	most   int64
	until  time.Duration

	calls, failed            int64
	total                    wire.Counts
	took                     time.Duration
	bytesSent, bytesReceived int64
	dataSent, dataReceived   uint64
}

func (c *client) newRun(o *runOptions, sweep *k6x.Session) (*run, error) {
	wait, err := waitOf(o.Wait)
	if err != nil {
		return nil, k6x.Misuse("run: %s", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	open, tags, err := c.reading(o.Addresses)
	if err != nil {
		return nil, err
	}
	r := &run{client: c, sweep: sweep, read: open.Repeated(tags, wait, c.config.Timeout), conn: c.conn}
	if o.Iterations != nil {
		r.most = *o.Iterations
	}
	if sweep != nil {
		r.op = sweep.Client.Recorder(sweep.Op)
	}
	if o.Tally != "" {
		r.tally = c.tallies.named(o.Tally)
	}
	if o.Duration.Valid {
		r.until = clock.Now() + o.Duration.TimeDuration()
	}

	return r, nil
}

// work does not record the call that the end of the step cuts off, like an operation of a
// script.
func (r *run) work(vuContext context.Context) error {
	ctx := r.read.Context(vuContext)
	for began := clock.Now(); ; {
		if r.sweep != nil && !r.sweep.Client.Next(1, nil) {
			return nil
		}
		begin := clock.Now()
		counts, err := r.read.Read(ctx)
		end := clock.Now()
		if vuContext.Err() != nil {
			return k6x.Errorf(k6x.KindCancelled, "the test ended before the run was over")
		}
		r.record(begin, end, counts, err)
		r.took = end - began
		if r.over(end) {
			return nil
		}
		if err != nil && r.client.As(err).Code == int(codes.Unavailable) {
			if r.over(r.rest(vuContext)) {
				return nil
			}
		}
	}
}

func (r *run) rest(ctx context.Context) time.Duration {
	select {
	case <-time.After(unavailablePause):
	case <-ctx.Done():
	}

	return clock.Now()
}

func (r *run) over(now time.Duration) bool {
	return r.most > 0 && r.calls >= r.most || r.until > 0 && now >= r.until || r.sweep != nil && r.sweep.Client.Enough()
}

func (r *run) record(begin, end time.Duration, counts wire.Counts, err error) {
	took := end - begin
	received, sent := r.conn.Traffic()
	if r.sweep != nil {
		if err == nil {
			r.op.Ok(took)
			r.op.Rows(uint64(counts.Results))
		} else {
			r.op.FailAfter(took, err)
		}
		r.op.Bytes(sent, received)
	}
	if r.tally != nil && (r.sweep == nil || r.sweep.Client.Measuring()) {
		r.tally.add(time.Now().Add(-took), took, counts, err)
	}
	bytesSent, bytesReceived := r.read.Bytes()
	r.bytesSent, r.bytesReceived = r.bytesSent+int64(bytesSent), r.bytesReceived+int64(bytesReceived)
	r.dataSent, r.dataReceived = r.dataSent+sent, r.dataReceived+received
	r.calls++
	if err != nil {
		r.failed++
	}
	r.total.Results += counts.Results
	r.total.Cached += counts.Cached
	r.total.Failed += counts.Failed
	r.client.count(opReadBulk, err, counts)
	r.client.Traffic(received, sent)
	r.client.Elapsed(took)
}

func (r *run) reportCached() {
	if r.sweep != nil {
		r.sweep.Client.Counter(measure.Hits).Add(uint64(r.total.Cached))
		r.sweep.Client.Counter(measure.Misses).Add(uint64(r.total.Results - r.total.Cached))
	}
}
