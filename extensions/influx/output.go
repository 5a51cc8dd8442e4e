// Package influx is k6's output sweep-influxdb. It streams a sweep's figures to InfluxDB 1, 2 or 3
// once a second.
package influx

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// Name is the output's name for k6 run -o.
const Name = "sweep-influxdb"

func init() { //nolint:gochecknoinits // k6's way of registering extensions
	output.RegisterExtension(Name, New)
}

// Output streams a sweep's figures to InfluxDB. The server cannot slow the test down. If it has
// accepted no point, k6 exits with 110 in place of 0.
type Output struct {
	config Config
	logger logrus.FieldLogger
	points *points
	buffer *buffer
	writer *writer
	counts pointCounts

	figures  atomic.Bool
	stopping chan struct{} // closed when the test has ended
	flusher  *output.PeriodicFlusher
	ctx      context.Context
	cancel   context.CancelFunc
	trouble  string // why writes currently fail; "" if they succeed
}

var _ output.Output = &Output{}

// New returns the output. An error names the invalid setting.
func New(params output.Params) (output.Output, error) {
	config, err := NewConfig(params)
	if err != nil {
		return nil, errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig)
	}
	if err := checkRunTags(params.ScriptOptions.RunTags); err != nil {
		return nil, errext.WithExitCodeIfNone(fmt.Errorf("-o %s: %w", Name, err), exitcodes.InvalidConfig)
	}
	o := &Output{
		config:   config,
		logger:   params.Logger.WithField("output", Name),
		points:   newPoints(params.ScriptOptions.RunTags, config.Instance),
		buffer:   &buffer{most: config.BufferSize},
		writer:   newWriter(config),
		stopping: make(chan struct{}),
	}
	o.ctx, o.cancel = context.WithCancel(context.Background())

	return o, nil
}

// Description returns the destination, without secrets.
func (o *Output) Description() string { return fmt.Sprintf("%s (%s)", Name, &o.config) }

// Start starts writing in the background. It does not wait for the server.
func (o *Output) Start() (err error) {
	o.flusher, err = output.NewPeriodicFlusher(o.config.PushInterval, o.flush)

	return err
}

// AddMetricSamples takes the figures in k6's sample containers. It never blocks.
func (o *Output) AddMetricSamples(containers []metrics.SampleContainer) {
	defer crash.Contain("the output " + Name)
	for _, container := range containers {
		figures, ok := container.(*stream.Figures)
		if !ok {
			continue
		}
		o.figures.Store(true)
		lines, err := o.points.lines(figures)
		if err != nil {
			o.drop(len(figures.Seconds)+len(figures.Ended)-len(lines), err.Error())
		}
		o.drop(o.buffer.put(lines), fmt.Sprintf("the buffer of %d points was full", o.config.BufferSize))
	}
}

// Stop writes the remaining points for up to flushTimeout, and logs a summary. It always returns
// nil, because k6 exits with 0 even if an output's Stop fails.
func (o *Output) Stop() error {
	close(o.stopping)
	deadline := time.AfterFunc(o.config.FlushTimeout, o.cancel)
	defer deadline.Stop()
	o.flusher.Stop()
	o.cancel()
	o.writer.close()

	switch said := fmt.Sprintf("%s: %s", &o.config, &o.counts); {
	case o.counts.lost() > 0:
		o.logger.Error(said)
		if o.counts.none() {
			k6x.FailExit(exitcodes.MarkedAsFailed)
		}
	case !o.figures.Load():
		o.logger.Warnf("%s: nothing to write: no scenario was a sweep", &o.config)
	default:
		o.logger.Info(said)
	}

	return nil
}

func (o *Output) flush() {
	defer crash.Contain("the output " + Name)
	for lines := o.take(); len(lines) > 0; lines = o.take() {
		o.deliver(lines)
	}
}

func (o *Output) take() [][]byte { return o.buffer.take(o.config.BatchSize) }

func (o *Output) deliver(lines [][]byte) {
	requests := [][][]byte{lines}
	for attempt := 0; len(requests) > 0; {
		if o.ctx.Err() != nil {
			o.giveUp(requests)

			return
		}
		lines := requests[0]
		v := o.writer.write(o.ctx, lines)
		switch {
		case v.again:
			o.inTrouble(v.why)
			o.pause(backOff(attempt), v.after)
			attempt++
		case v.split:
			half := len(lines) / 2
			requests = append([][][]byte{lines[:half], lines[half:]}, requests[1:]...)
		default:
			o.counts.wrote(v.written)
			o.drop(v.refused, v.why)
			if v.written > 0 {
				o.outOfTrouble()
			}
			requests, attempt = requests[1:], 0
		}
	}
}

func (o *Output) giveUp(requests [][][]byte) {
	n := 0
	for _, lines := range requests {
		n += len(lines)
	}
	why := fmt.Sprintf("not written within %s of the end of the test", o.config.FlushTimeout)
	if o.trouble != "" {
		why += ": " + o.trouble
	}
	o.drop(n, why)
}

func (o *Output) drop(n int, why string) {
	if o.counts.drop(n, why) {
		o.logger.Warnf("%s: points are dropped: %s", &o.config, why)
	}
}

func (o *Output) inTrouble(why string) {
	if o.ctx.Err() != nil { // the output gave up, so the error says nothing about the server
		o.trouble = cmp.Or(o.trouble, "no reply")

		return
	}
	if o.trouble == "" {
		o.logger.Warnf("%s accepts no points: %s; retrying, up to %d points wait", &o.config, why, o.config.BufferSize)
		measure.TellEvent(measure.EventInfluxDB, "InfluxDB accepts no points", 1)
	}
	o.trouble = why
}

func (o *Output) outOfTrouble() {
	if o.trouble != "" {
		o.trouble = ""
		o.logger.Infof("%s accepts points again", &o.config)
		measure.TellEvent(measure.EventInfluxDB, "InfluxDB accepts points again", 1)
	}
}

const (
	firstBackOff   = 500 * time.Millisecond
	longestBackOff = 30 * time.Second
)

// The random half keeps many k6 processes from retrying together.
func backOff(failures int) time.Duration {
	wait := longestBackOff
	if failures < 10 {
		wait = min(firstBackOff<<failures, longestBackOff)
	}

	return wait/2 + rand.N(wait/2)
}

// pause waits before a retry, or longer if the server asks for it. After the end of the test, it
// waits at most the first back-off, or what the server asks for.
func (o *Output) pause(wait, asked time.Duration) {
	begun := time.Now()
	if !o.sleep(max(wait, asked), o.stopping) {
		o.sleep(max(asked-time.Since(begun), min(wait, firstBackOff)), nil)
	}
}

// sleep reports false if interrupt ended it early. It returns true if the output gives up.
func (o *Output) sleep(wait time.Duration, interrupt <-chan struct{}) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-o.ctx.Done():
	case <-interrupt:
		return false
	}

	return true
}

// buffer queues lines to be written. When it is full, it drops the oldest.
type buffer struct {
	mu    sync.Mutex
	lines [][]byte
	most  int
}

func (b *buffer) put(lines [][]byte) (dropped int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, lines...)
	if dropped = len(b.lines) - b.most; dropped <= 0 {
		return 0
	}
	clear(b.lines[:dropped])
	b.lines = b.lines[dropped:]

	return dropped
}

func (b *buffer) take(n int) [][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = min(n, len(b.lines))
	taken := append([][]byte(nil), b.lines[:n]...)
	clear(b.lines[:n])
	if b.lines = b.lines[n:]; len(b.lines) == 0 {
		b.lines = nil
	}

	return taken
}

const mostReasons = 20

const otherReasons = "other reasons"

type pointCounts struct {
	mu      sync.Mutex
	written int
	dropped map[string]int
}

func (c *pointCounts) wrote(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written += n
}

func (c *pointCounts) drop(n int, why string) (first bool) {
	if n == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dropped == nil {
		c.dropped = map[string]int{}
	}
	if _, known := c.dropped[why]; !known && len(c.dropped) >= mostReasons {
		why = otherReasons
	}
	c.dropped[why] += n

	return c.dropped[why] == n
}

func (c *pointCounts) none() bool {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.written == 0
}

func (c *pointCounts) lost() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, some := range c.dropped {
		n += some
	}

	return n
}

// String returns the summary in one line, most frequent reason first.
func (c *pointCounts) String() string {
	lost := c.lost()
	c.mu.Lock()
	defer c.mu.Unlock()
	said := fmt.Sprintf("%s points written", report.Thousands(int64(c.written)))
	if lost == 0 {
		return said + ", none dropped"
	}
	reasons := slices.SortedFunc(maps.Keys(c.dropped), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.dropped[b], c.dropped[a]), cmp.Compare(a, b))
	})
	each := make([]string, 0, len(reasons))
	for _, why := range reasons {
		each = append(each, fmt.Sprintf("%s (%s)", report.Thousands(int64(c.dropped[why])), why))
	}

	return fmt.Sprintf("%s, %s DROPPED: %s", said, report.Thousands(int64(lost)), strings.Join(each, ", "))
}
