package k6x

import (
	"sync"
	"sync/atomic"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

// tapSize is how many sample containers an operation may push before it needs a TapGuard.
const tapSize = 128

// Tap sits between a VU and k6. It inspects each sample that the VU pushes, remembers the first
// that means a failure, and forwards all in order. The VU's goroutine does this after each
// operation, so that an operation without samples only checks an empty channel. A nil Tap does
// nothing.
type Tap struct {
	state *lib.State
	in    chan metrics.SampleContainer
	out   chan<- metrics.SampleContainer

	// fault is the first failure since Begin; around belongs to the enclosing operation.
	fault, around atomic.Pointer[error]

	// requested is the total time of requests since the last call of Requested, in ns.
	requested atomic.Int64

	// pumped is set when a goroutine empties the channel, because an operation pushed too many
	// samples.
	pumped  atomic.Bool
	reached chan struct{}

	// calls are gRPC calls without a connection.
	calls waitingCalls

	// full means that the guard last found the channel full.
	full bool
}

// NewTap returns a tap for a VU, or nil without a state. It adds the system tag status to the VU's
// samples.
func NewTap(state *lib.State) *Tap {
	if state == nil {
		return nil
	}

	// Only the tag status shows a failed gRPC call, an unopened WebSocket, or a request without an
	// answer.
	with := metrics.NewSystemTagSet(metrics.TagStatus)
	if tags := state.Options.SystemTags; tags != nil {
		*with |= *tags
	}
	state.Options.SystemTags = with

	return &Tap{
		state: state, in: make(chan metrics.SampleContainer, tapSize), reached: make(chan struct{}),
	}
}

// Open inserts the tap. Only the VU's goroutine may call it.
func (t *Tap) Open() {
	if t == nil || t.opened() {
		return
	}
	t.out, t.state.Samples = t.state.Samples, t.in
}

// Past returns k6's channel, for samples that cannot mean a failure. They do not wait for the end
// of an operation.
func (t *Tap) Past(state *lib.State) chan<- metrics.SampleContainer {
	if t == nil || !t.opened() {
		return state.Samples
	}

	return t.out
}

// Close removes the tap. No guard may watch it any more.
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
	t.drain() // samples of goroutines that an operation left behind
}

func (t *Tap) opened() bool { return t.state.Samples == (chan<- metrics.SampleContainer)(t.in) }

// Begin starts an operation inside the one that Fault ends. Pass its result to End.
func (t *Tap) Begin() (enclosing *error) {
	if t == nil {
		return nil
	}
	t.drain()

	return t.fault.Swap(nil)
}

// End returns the failure of the operation that Begin started, or nil. A failure also counts for
// the enclosing operation.
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

// Promised marks that the operation continues in a promise.
func (t *Tap) Promised(enclosing *error) {
	if t != nil && enclosing != nil {
		t.around.CompareAndSwap(nil, enclosing)
	}
}

// Settled returns the failure of an operation whose promise is settled. A failure among concurrent
// operations counts for the first one that settles.
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

// Fault returns the first failure since its last call.
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

// Requested returns the total time of HTTP requests and gRPC calls since its last call, by k6's
// http_req_duration and grpc_req_duration.
func (t *Tap) Requested() time.Duration {
	if t == nil {
		return 0
	}

	return time.Duration(t.requested.Swap(0))
}

func of(fault *error) error {
	if fault == nil {
		return nil
	}

	return *fault
}

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

func (t *Tap) take(samples metrics.SampleContainer) {
	t.requested.Add(int64(requestTime(t.state.BuiltinMetrics, samples)))
	if t.fault.Load() == nil {
		if err := Failure(t.state, samples, true); err != nil {
			t.fault.CompareAndSwap(nil, &err)
		}
	}
	t.out <- samples
}

// requestTime returns the total duration of the requests in a container.
func requestTime(builtin *metrics.BuiltinMetrics, container metrics.SampleContainer) (took time.Duration) {
	if _, one := container.(metrics.Sample); one || builtin == nil { // requests have several samples
		return 0
	}
	for _, s := range container.GetSamples() {
		if s.Metric == builtin.HTTPReqDuration || s.Metric == builtin.GRPCReqDuration {
			took += metrics.ToD(s.Value)
		}
	}

	return took
}

// mark travels through the channel; when it arrives, all earlier samples have been forwarded.
type mark struct {
	metrics.SampleContainer

	last bool
}

func (t *Tap) startPump() {
	if t.pumped.CompareAndSwap(false, true) {
		go t.pump()
	}
}

func (t *Tap) pump() {
	for samples := range t.in {
		m, is := samples.(mark)
		if !is {
			t.take(samples)

			continue
		}
		t.reached <- struct{}{}
		if m.last {
			return
		}
	}
}

// An operation that fills its tap waits for at most two checks of the guard. The interval grows
// with the number of clients, because a check visits each.
const (
	guardEvery = 25 * time.Millisecond
	guardEach  = 40 * time.Microsecond
)

// TapGuard unblocks operations that push more samples than their tap holds: it starts a goroutine
// that empties a full tap.
type TapGuard struct {
	mu   sync.Mutex
	taps map[*Tap]struct{}
	over chan struct{}
}

// Watch watches a tap until Forget.
func (g *TapGuard) Watch(t *Tap) {
	if t == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.taps) == 0 {
		g.taps, g.over = map[*Tap]struct{}{}, make(chan struct{})
		go g.watch(g.over)
	}
	g.taps[t] = struct{}{}
}

// Forget stops watching a tap.
func (g *TapGuard) Forget(t *Tap) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, watched := g.taps[t]; !watched {
		return
	}
	delete(g.taps, t)
	if len(g.taps) == 0 {
		close(g.over)
	}
}

// End forgets all taps after the VUs have stopped, and forwards their last samples.
func (g *TapGuard) End() {
	g.mu.Lock()
	taps := g.taps
	if g.taps = nil; len(taps) > 0 {
		close(g.over)
	}
	g.mu.Unlock()
	for t := range taps {
		t.Close()
	}
}

func (g *TapGuard) watch(over <-chan struct{}) {
	timer := time.NewTimer(guardEvery)
	defer timer.Stop()
	for {
		select {
		case <-over:
			return
		case <-timer.C:
			timer.Reset(g.help())
		}
	}
}

// help starts pumps for taps that were full at two checks. It returns the time until the next
// check.
func (g *TapGuard) help() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	for t := range g.taps {
		before := t.full
		if t.full = len(t.in) == cap(t.in) && !t.pumped.Load(); t.full && before {
			t.startPump()
		}
	}

	return guardEvery + time.Duration(len(g.taps))*guardEach
}
