package k6glue

import (
	"sync/atomic"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// tapSize is how many containers of samples an operation may push before somebody has to help: see
// TapGuard.
const tapSize = 128

// Tap stands between a VU and k6: it sees each sample that the VU pushes, remembers the first that
// tells of a failure, and hands all of them on, in their order. The VU's own goroutine does that
// after each operation, so that an operation that pushes nothing pays for a glance at an empty
// channel. A nil Tap sees nothing.
type Tap struct {
	state   *lib.State
	in      chan metrics.SampleContainer
	out     chan<- metrics.SampleContainer
	failing FailingSamples

	// fault is the first failure since Begin, and around is that of what encloses the operation.
	fault, around atomic.Pointer[error]

	// pumped tells that a goroutine empties the channel, because an operation has pushed more than
	// fits.
	pumped  atomic.Bool
	reached chan struct{}

	// calls are gRPC calls that have no connection yet.
	calls waitingCalls

	// place is that in the guard's list, from 1, and full tells that its last glance found the
	// channel full.
	place int
	full  bool
}

// NewTap returns a tap for the VU of this state; nil when nothing would be a failure. The VU's
// samples have the system tag status from now on.
func NewTap(state *lib.State, failing FailingSamples) *Tap {
	if state == nil || !failing.any() {
		return nil
	}

	if !state.Options.SystemTags.Has(metrics.TagStatus) {
		state.Options.SystemTags = withStatus(state.Options.SystemTags)
	}

	return &Tap{
		state: state, failing: failing,
		in: make(chan metrics.SampleContainer, tapSize), reached: make(chan struct{}),
	}
}

// Open puts the tap between the VU and k6. Only the VU's own goroutine may call it.
func (t *Tap) Open() {
	if t == nil || t.opened() {
		return
	}
	t.out, t.state.Samples = t.state.Samples, t.in
}

// Past is where samples of the VU go that tell of no failure: past the tap, which hands on what an
// operation pushes when it is over, and one call of JavaScript may do operations for minutes.
func (t *Tap) Past(state *lib.State) chan<- metrics.SampleContainer {
	if t == nil || !t.opened() {
		return state.Samples
	}

	return t.out
}

// withStatus adds the system tag status where the options leave it out: it is all that samples tell
// of a failed gRPC call, of a WebSocket that was not opened, and of a request without an answer
// that nobody judges.
func withStatus(tags *metrics.SystemTagSet) *metrics.SystemTagSet {
	with := metrics.NewSystemTagSet(metrics.TagStatus)
	if tags != nil {
		*with |= *tags
	}

	return with
}

// Close takes the tap away again, when no guard watches it any longer.
func (t *Tap) Close() {
	if t == nil || !t.opened() {
		return
	}
	t.drain()
	if t.pumped.Load() {
		t.in <- mark{last: true}
		<-t.reached
		t.pumped.Store(false)
	}
	t.state.Samples = t.out
	t.drain() // what was pushed meanwhile, by a goroutine that an operation has left behind
}

func (t *Tap) opened() bool { return t.state.Samples == (chan<- metrics.SampleContainer)(t.in) }

// Begin begins an operation within what Fault ends: failures up to now are of what encloses it. Its
// result is for End.
func (t *Tap) Begin() (enclosing *error) {
	if t == nil {
		return nil
	}
	t.drain()

	return t.fault.Swap(nil)
}

// End returns why the operation has failed that Begin began; nil when no sample tells so. What
// encloses the operation has failed as well.
func (t *Tap) End(enclosing *error) error {
	if t == nil {
		return nil
	}
	t.drain()
	fault := t.fault.Load()
	if enclosing != nil {
		t.fault.Store(enclosing)
	}

	return of(fault)
}

// Promised says that the operation which Begin began goes on after its function has returned a
// promise.
func (t *Tap) Promised(enclosing *error) {
	if t != nil && enclosing != nil {
		t.around.CompareAndSwap(nil, enclosing)
	}
}

// Settled returns why an operation has failed whose promise is settled. Where several are under way
// at once, a failure is that of the one which ends first.
func (t *Tap) Settled() error {
	if t == nil {
		return nil
	}
	t.drain()
	fault := t.fault.Swap(nil)
	if fault != nil {
		t.around.CompareAndSwap(nil, fault)
	}

	return of(fault)
}

// Fault returns the first failure since it was called last.
func (t *Tap) Fault() error {
	if t == nil {
		return nil
	}
	t.drain()
	if t.fault.Load() == nil && t.around.Load() == nil {
		return nil
	}
	fault, around := t.fault.Swap(nil), t.around.Swap(nil)
	if around != nil {
		return *around
	}

	return of(fault)
}

func of(fault *error) error {
	if fault == nil {
		return nil
	}

	return *fault
}

// drain hands on all that the VU has pushed by now. Mostly that is nothing, which costs a glance.
func (t *Tap) drain() {
	if len(t.in) > 0 || t.pumped.Load() || t.calls.some.Load() {
		t.handOn()
	}
}

func (t *Tap) handOn() {
	for _, call := range t.calls.ended() {
		if call.TimedOut() {
			t.TimedOut(call)
		}
	}
	for !t.pumped.Load() {
		select {
		case samples := <-t.in:
			t.take(samples)

			continue
		default:
		}
		if !t.pumped.Load() {
			return
		}
	}
	t.in <- mark{}
	<-t.reached
}

// take looks at samples and hands them on.
func (t *Tap) take(samples metrics.SampleContainer) {
	if t.fault.Load() == nil {
		if err := t.failing.Find(t.state, samples); err != nil {
			t.fault.CompareAndSwap(nil, &err)
		}
	}
	t.out <- samples
}

// mark goes through the channel of a tap to tell that all that was pushed before has been handed
// on.
type mark struct {
	metrics.SampleContainer

	last bool
}

// startPump makes a goroutine empty the tap until it is closed.
func (t *Tap) startPump() {
	if t.pumped.CompareAndSwap(false, true) {
		go t.pump()
	}
}

// pump hands on what the VU pushes, until a last mark.
func (t *Tap) pump() {
	defer crash.Contain("what hands on samples")
	for samples := range t.in {
		m, is := samples.(mark)
		if !is {
			contained(func() { t.take(samples) }) // or the VU would wait for ever

			continue
		}
		t.reached <- struct{}{}
		if m.last {
			return
		}
	}
}
