package measure

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Recorder holds what one client did of one kind of operation in the measured phase of a step. Its
// methods may be called by the client's goroutine only; what is called during the warm-up is
// forgotten.
type Recorder struct {
	op     string
	client *Client

	// tally is what counts; in a duet, what base did.
	tally

	warmed, warmedFailed atomic.Uint64 // of the warm-up

	// change is what the change of a duet did, and slices are what both did in each slice; nil in
	// other steps.
	change atomic.Pointer[tally]
	slices *series
	// timing is the client's at the last operation that began together with others.
	timing uint64
}

// tally is what one client did of one kind of operation.
type tally struct {
	// of is where durations count that clients have in common. It is the client's alone.
	of *part
	// overTime is what the step keeps of this kind of operation over time; nil: nothing.
	overTime *overTime

	sentBytes, recvBytes atomic.Uint64
	durations            figures
	kept                 atomic.Int64 // one more than there were successful operations at the step's mark; zero: none since
	failed, rows         atomic.Uint64
	shared               atomic.Uint64 // see Totals.Shared
	failures             figures       // of failed operations whose durations are known

	mu     sync.Mutex // guards errors, never taken for an operation that succeeds
	errors reasons
}

// join makes the recorder one of a duet.
func (r *Recorder) join(d *duet) {
	r.slices = d.of(r.op)
	change := &tally{}
	change.joinStep(r, true)
	r.change.Store(change)
}

// joinStep makes what is counted here count in the step as well.
func (t *tally) joinStep(r *Recorder, change bool) {
	s := r.client.step
	k := s.kind(r.op, change)
	t.of, t.overTime = k.of(r.client.index), s.slots.keep(k)
}

// into is where the operations of the client's current call count.
func (r *Recorder) into() *tally {
	if t := r.client.turns; t != nil && t.variant == Change {
		return r.change.Load()
	}

	return &r.tally
}

// ended is how many operations have ended, failed ones included.
func (t *tally) ended() uint64 {
	if t == nil {
		return 0
	}

	return uint64(t.durations.number.Load()) + t.failed.Load()
}

// succeeded tells whether an operation has, to warm up or measured.
func (r *Recorder) succeeded() bool {
	if change := r.change.Load(); change != nil && change.durations.number.Load() > 0 {
		return true
	}

	return r.durations.number.Load() > 0 || r.warmed.Load() > 0
}

// ErrNotEnded is why an operation has failed that was begun, and had no outcome when the call that
// began it returned.
var ErrNotEnded = errors.New("the operation had not ended when the call that began it returned; its promise has to be awaited")

// Begin tells that an operation has begun, which End will end: one that has no end is counted as
// failed when the call that began it returns.
func (r *Recorder) Begin() { r.client.open = append(r.client.open, r) }

// End counts the operation that was begun: as successful after took or, with a reason, as failed.
// It does nothing when the call that began it has returned.
func (r *Recorder) End(took time.Duration, reason error) {
	switch {
	case !r.close():
	case reason != nil:
		r.FailAfter(took, reason)
	default:
		r.Ok(took)
	}
}

// close says that the operation which began last has an end. It is false when there is none.
func (r *Recorder) close() bool {
	open := r.client.open
	i := slices.Index(open, r)
	if i >= 0 {
		r.client.open = slices.Delete(open, i, i+1)
	}

	return i >= 0
}

// Ok counts one successful operation that took d. In an open-loop step an operation of a call that
// started late counts as begun so much earlier: its latency is that of one that started in time,
// and the time that it is late.
func (r *Recorder) Ok(d time.Duration) {
	c := r.client
	c.recorded++
	if !c.measuring {
		r.countWarm(&r.warmed)
		if c.turns != nil && *c.turns.batches() {
			c.turns.warm(d)
		}

		return
	}
	d += c.late
	t := &r.tally
	if turns := c.turns; turns != nil {
		r.slices.record(turns.slice, d)
		if turns.worked(now()) {
			r.slices.crossed.Add(1)
		}
		t = r.into()
	}
	if o := t.overTime; o != nil && int64(d) > o.slowest.floor.Load() {
		o.slowest.offer(c.slow(d))
	}
	c.woken, c.unused = notWoken, false
	c.tick(d)
	if c.batched {
		if r.timing == c.timing {
			t.shared.Store(t.shared.Load() + 1)
		}
		r.timing = c.timing
	}
	if c.step.marked.Load() != 0 && t.kept.Load() == 0 {
		t.kept.Store(t.durations.number.Load() + 1)
	}
	t.of.ok.record(d, &t.durations)
	if c.tap != nil {
		c.tap(r.op, d)
	}
}

// FailAfter counts one failed operation that took d, with the reason why, which may be nil.
// Durations of failures stand beside those of successes, never among them: how fast something fails
// is no measure of work. What Interrupt cuts off is not counted: it is no failure of the server's.
// A late start counts as Ok counts it.
func (r *Recorder) FailAfter(d time.Duration, reason error) {
	c := r.client
	if c.measuring && !c.step.Interrupted() {
		t := r.into()
		c.tick(d)
		t.of.failed.record(d+c.late, &t.failures)
	}
	r.Fail(reason)
}

// Fail counts one failed operation whose duration is not known, as FailAfter does.
func (r *Recorder) Fail(reason error) {
	c := r.client
	c.recorded++
	c.failures++
	c.failed = r
	c.failedCut = c.cutOff()
	c.woken, c.unused = notWoken, false
	if c.step.Interrupted() {
		return
	}
	if c.measuring {
		r.countFailure()
	} else {
		r.countWarm(&r.warmedFailed)
	}
	if reason != nil {
		r.note(reason, c.measuring)
	}
}

// countWarm counts an operation of the warm-up, and none that comes before or after.
func (r *Recorder) countWarm(n *atomic.Uint64) {
	if r.client.stage == warmingUp {
		n.Store(n.Load() + 1)
	}
}

func (r *Recorder) countFailure() {
	t := r.into()
	t.failed.Store(t.failed.Load() + 1)
	if turns := r.client.turns; turns != nil {
		turns.worked(now())
	}
	if t.overTime != nil {
		t.overTime.failed.Add(1)
	}
	r.client.step.failure(r.op)
}

// note keeps an error's cause with how often it came, when it counts, and tells the step.
func (r *Recorder) note(err error, counts bool) {
	text := err.Error()
	cause := Cause(text)
	r.client.noted = true

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

// Totals is a reading of one kind of operation over all clients of a step.
type Totals struct {
	Op string
	// Variant is the one of a duet; empty in other steps.
	Variant Variant
	// Time is for how long the clients were at work for the variant, on average; zero in steps that
	// are no duet.
	Time      time.Duration
	Durations Distribution // of the successful operations; its Count is their number
	// Shared is how many of them have their duration from another one: all but one of those that a
	// client did together.
	Shared   uint64
	Within   int64        // those of them that ended within the window, or while all clients were at work
	Failures Distribution // of the failed operations whose durations are known; not in a difference
	// OverTime is what the operations did over time, once all clients have ended; nil where that
	// was not kept, and in a difference.
	OverTime      *OverTime
	Failed, Rows  uint64
	BytesSent     uint64
	BytesReceived uint64
	// Errors are texts of what made operations fail, with how often each cause came; not in a
	// difference.
	Errors  map[string]uint64
	reasons reasons // what Errors shows, by cause
}

// add adds what one client did, without what clients have in common: see addKind.
func (t *Totals) add(r *tally) {
	n := t.Durations.addFigures(&r.durations)
	if kept := r.kept.Load(); kept > 0 {
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

// join adds what another reading of the same kind of operation counts.
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

// Timings is how many durations of successful operations were measured, each by itself.
func (t *Totals) Timings() int64 { return t.Durations.Count - int64(t.Shared) }

// AddError counts an error's text.
func (t *Totals) AddError(text string) {
	text = ShortText(text)
	t.count(t.reasons.addFew(Cause(text), text, 1), 1)
}

// count counts n failures under a text that is shown.
func (t *Totals) count(text string, n uint64) {
	if t.Errors == nil {
		t.Errors = make(map[string]uint64)
	}
	t.Errors[text] += n
}

// Empty tells whether nothing has happened.
func (t *Totals) Empty() bool {
	return t.Durations.Count == 0 && t.Failed == 0 && t.Rows == 0 && t.BytesSent == 0 && t.BytesReceived == 0
}

// Since is what happened between an earlier reading of the same kind of operation, or nil, and this
// one.
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
