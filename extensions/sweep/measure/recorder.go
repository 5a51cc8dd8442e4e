package measure

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Recorder records one client's operations of one name. It ignores the warm-up. Only the client's
// goroutine may use it.
type Recorder struct {
	op     string
	client *Client

	// opCounts counts; in a duet, it counts base.
	opCounts

	warmed, warmedFailed atomic.Uint64 // operations in the warm-up

	// change counts a duet's change, and slices both variants per slice; nil otherwise.
	change atomic.Pointer[opCounts]
	slices *series
	// timing is the client's value of timing at the last operation that started together with
	// others.
	timing uint64
}

// opCounts counts one client's operations of one name.
type opCounts struct {
	shard    *part
	overTime *overTime

	sentBytes, recvBytes atomic.Uint64
	durations            figures
	countAtMark          atomic.Int64 // successful operations at the step's mark, plus 1; 0 if none followed
	failed, rows         atomic.Uint64
	shared               atomic.Uint64 // see Totals.Shared
	failures             figures       // failed operations with known durations

	mu     sync.Mutex
	errors reasons
}

func (r *Recorder) join(d *duet) {
	r.slices = d.of(r.op)
	change := &opCounts{}
	change.joinStep(r, true)
	r.change.Store(change)
}

func (t *opCounts) joinStep(r *Recorder, change bool) {
	s := r.client.step
	k := s.kind(r.op, change)
	t.shard, t.overTime = k.of(r.client.index), s.slots.keep(k)
}

// into returns the opCounts for the client's current call.
func (r *Recorder) into() *opCounts {
	if t := r.client.duetState; t != nil && t.variant == Change {
		return r.change.Load()
	}

	return &r.opCounts
}

// ended returns the number of finished operations, including failed ones.
func (t *opCounts) ended() uint64 {
	if t == nil {
		return 0
	}

	return uint64(t.durations.number.Load()) + t.failed.Load()
}

// succeeded reports whether an operation has succeeded, including in the warm-up.
func (r *Recorder) succeeded() bool {
	if change := r.change.Load(); change != nil && change.durations.number.Load() > 0 {
		return true
	}

	return r.durations.number.Load() > 0 || r.warmed.Load() > 0
}

// ErrNotEnded fails an operation that had not ended when the call that began it returned.
var ErrNotEnded = errors.New("the operation had not ended when the call that began it returned; its promise has to be awaited")

// Begin starts an operation that End must end. If it does not, the operation fails when the call
// returns.
func (r *Recorder) Begin() { r.client.open = append(r.client.open, r) }

// End counts the operation as successful, or as failed with reason. It does nothing after the call
// that began it has returned.
func (r *Recorder) End(took time.Duration, reason error) {
	switch {
	case !r.close():
	case reason != nil:
		r.FailAfter(took, reason)
	default:
		r.Ok(took)
	}
}

// close ends the last open operation. It returns false without one.
func (r *Recorder) close() bool {
	open := r.client.open
	i := slices.Index(open, r)
	if i >= 0 {
		r.client.open = slices.Delete(open, i, i+1)
	}

	return i >= 0
}

// Ok counts a successful operation that took d. In an open loop, it adds the delay of a call that
// started late.
func (r *Recorder) Ok(d time.Duration) {
	c := r.client
	c.recorded++
	if !c.measuring {
		r.countWarm(&r.warmed)
		if c.duetState != nil && *c.duetState.batches() {
			c.duetState.warm(d)
		}

		return
	}
	d += c.queueDelay
	t := &r.opCounts
	if state := c.duetState; state != nil {
		r.slices.record(state.slice, d)
		if state.worked(now()) {
			r.slices.crossed.Add(1)
		}
		t = r.into()
	}
	if o := t.overTime; o != nil && int64(d) > o.slowest.floor.Load() {
		o.slowest.offer(c.slow(d))
	}
	c.wakeDelay, c.pendingStart = notWoken, false
	c.tick(d)
	if c.batched {
		if r.timing == c.timing {
			t.shared.Store(t.shared.Load() + 1)
		}
		r.timing = c.timing
	}
	if c.step.marked.Load() != 0 && t.countAtMark.Load() == 0 {
		t.countAtMark.Store(t.durations.number.Load() + 1)
	}
	t.shard.ok.record(d, &t.durations)
}

// FailAfter counts a failed operation that took d. Durations of failures are kept separate from
// successes. Operations interrupted by Interrupt do not count. Like Ok, it adds the delay in an
// open loop.
func (r *Recorder) FailAfter(d time.Duration, reason error) {
	c := r.client
	if c.measuring && !c.step.Interrupted() {
		t := r.into()
		c.tick(d)
		t.shard.failed.record(d+c.queueDelay, &t.failures)
	}
	r.Fail(reason)
}

// Fail is like FailAfter for an unknown duration.
func (r *Recorder) Fail(reason error) {
	c := r.client
	c.recorded++
	c.failures++
	c.failedCut = c.cutOff()
	c.wakeDelay, c.pendingStart = notWoken, false
	if c.step.Interrupted() {
		return
	}
	if c.measuring {
		r.countFailure()
	} else {
		r.countWarm(&r.warmedFailed)
	}
	r.note(reason, c.measuring)
}

func (r *Recorder) countWarm(n *atomic.Uint64) {
	if r.client.stage == warmingUp {
		n.Store(n.Load() + 1)
	}
}

func (r *Recorder) countFailure() {
	t := r.into()
	t.failed.Store(t.failed.Load() + 1)
	if state := r.client.duetState; state != nil {
		state.worked(now())
	}
	if t.overTime != nil {
		t.overTime.failed.Add(1)
	}
	r.client.step.failure(r.op)
}

// note records an error's cause, if it counts, and reports it to the step.
func (r *Recorder) note(err error, counts bool) {
	text := err.Error()
	cause := Cause(text)

	if counts {
		t := r.into()
		t.mu.Lock()
		t.errors.addFew(cause, text, 1)
		t.mu.Unlock()
	}

	r.client.step.fault(r.client, cause, err)
}

// Rows counts rows read or written.
func (r *Recorder) Rows(n uint64) {
	if r.client.measuring {
		t := r.into()
		t.rows.Store(t.rows.Load() + n)
	}
}

// Bytes counts bytes sent to and received from the server.
func (r *Recorder) Bytes(sent, received uint64) {
	if r.client.measuring {
		t := r.into()
		t.sentBytes.Store(t.sentBytes.Load() + sent)
		t.recvBytes.Store(t.recvBytes.Load() + received)
	}
}

// Totals are the figures of one operation over all clients.
type Totals struct {
	Op string
	// Variant is empty outside duets.
	Variant Variant
	// Time is the average working time of a client for the variant; 0 outside duets.
	Time      time.Duration
	Durations Distribution // successful operations
	// Shared counts successful operations that share another one's duration, because a client did
	// them together.
	Shared   uint64
	Within   int64        // successful operations within Window or AllAtWork
	Failures Distribution // failed operations with known durations; empty in a difference
	// OverTime is set once all clients have ended; nil if not kept, and in a difference.
	OverTime      *OverTime
	Failed, Rows  uint64
	BytesSent     uint64
	BytesReceived uint64
	// Errors counts failures by text, one text per cause; empty in a difference.
	Errors  map[string]uint64
	reasons reasons // failures by cause, for Errors
}

// add adds a opCounts, except for the shared buckets: see addKind.
func (t *Totals) add(r *opCounts) {
	n := t.Durations.addFigures(&r.durations)
	if kept := r.countAtMark.Load(); kept > 0 {
		n = kept - 1
	}
	t.Within += n
	t.Failures.addFigures(&r.failures)
	t.Failed += r.failed.Load()
	t.Shared += r.shared.Load()
	t.Rows += r.rows.Load()
	t.BytesSent += r.sentBytes.Load()
	t.BytesReceived += r.recvBytes.Load()

	r.mu.Lock()
	defer r.mu.Unlock()
	for cause, reason := range r.errors {
		t.count(t.reasons.add(cause, reason.text, reason.n), reason.n)
	}
}

func (t *Totals) join(other *Totals) {
	t.Durations.Merge(&other.Durations)
	t.Failures.Merge(&other.Failures)
	t.Failed += other.Failed
	t.Shared += other.Shared
	t.Rows += other.Rows
	t.BytesSent += other.BytesSent
	t.BytesReceived += other.BytesReceived
	for text, n := range other.Errors {
		t.count(t.reasons.addFew(Cause(text), text, n), n)
	}
}

// Timings returns the number of separately measured successful durations.
func (t *Totals) Timings() int64 { return t.Durations.Count - int64(t.Shared) }

// AddError counts an error text.
func (t *Totals) AddError(text string) {
	text = ShortText(text)
	t.count(t.reasons.addFew(Cause(text), text, 1), 1)
}

func (t *Totals) count(text string, n uint64) {
	if t.Errors == nil {
		t.Errors = make(map[string]uint64)
	}
	t.Errors[text] += n
}

// Empty reports whether nothing was counted.
func (t *Totals) Empty() bool {
	return t.Durations.Count == 0 && t.Failed == 0 && t.Rows == 0 && t.BytesSent == 0 && t.BytesReceived == 0
}

// Since returns the counts since an earlier reading, which may be nil.
func (t *Totals) Since(earlier *Totals) Totals {
	if earlier == nil {
		earlier = &Totals{}
	}

	return Totals{
		Op: t.Op, Variant: t.Variant, Time: t.Time - earlier.Time,
		Durations:     *t.Durations.Since(&earlier.Durations),
		Failed:        t.Failed - earlier.Failed,
		Shared:        t.Shared - earlier.Shared,
		Rows:          t.Rows - earlier.Rows,
		BytesSent:     t.BytesSent - earlier.BytesSent,
		BytesReceived: t.BytesReceived - earlier.BytesReceived,
	}
}
