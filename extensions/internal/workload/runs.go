package workload

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Host is the client's module. k6x.Module implements it.
type Host interface {
	VU() modules.VU
	// Emit sends the module's metrics.
	Emit()
	// Elapsed reports the duration of operations. It sends the module's metrics once a second.
	Elapsed(took time.Duration)
	// Tag sets the tags of a call's samples.
	Tag(tags k6x.Tags)
	// As converts an error for scripts.
	As(err error) k6x.Error
	// Throw throws an error in JavaScript. It does not return.
	Throw(err error)
	// Abort ends the test with an error after the current call.
	Abort(err error)
}

// fail throws an operation's error. It aborts the test if the server does not work with the module.
func fail(host Host, err error) {
	e := host.As(err)
	e.Message = err.Error()
	if errors.Is(err, ErrClosed) && e.Kind == k6x.KindUsage {
		host.Abort(&e)

		return
	}
	host.Throw(&e)
}

// Runs manages the runs of one client. It belongs to its VU.
type Runs struct {
	// Fields that every operation uses come first.

	moving Moving
	client *measure.Client
	// seat is the client's place at an event loop; nil if runs use goroutines.
	seat       *eventloop.Seat
	unreported time.Duration
	// over is set when the run's context has ended. It is cheaper to check than the context.
	over atomic.Bool

	host    Host
	shared  *Shared
	waits   waits
	session *k6x.Session
	stop    context.CancelCauseFunc
	// fault is the error of the run's first failed operation outside a sweep.
	fault error
}

// Moving is a client that counts its bytes.
type Moving interface {
	// Traffic returns the bytes received and sent since the last call.
	Traffic() (received, sent uint64)
}

// Shared is the state that all clients of a module share. The zero value is ready to use.
type Shared struct {
	loops  eventloop.Loops
	logged atomic.Bool
}

// Seat returns a new seat at the module's event loops.
func (s *Shared) Seat() *eventloop.Seat { return s.loops.Seat() }

// NewRuns returns a client's Runs. All clients of a module pass the same shared.
func NewRuns(host Host, shared *Shared, moving Moving) *Runs {
	return &Runs{host: host, shared: shared, moving: moving}
}

// TakeTurns runs operations as jobs at the seat's event loop. The client's connections must use the
// same seat.
func (r *Runs) TakeTurns(seat *eventloop.Seat) { r.seat = seat }

// Join attaches the Runs to the VU's current step, if any, and reports whether it has changed. Call
// it at the start of each script call.
func (r *Runs) Join() (another bool) {
	session := k6x.SessionOf(r.host.VU())
	if session == r.session {
		return false
	}
	r.session, r.client = session, nil
	if session != nil {
		r.client = session.Client
	}
	r.waits = waits{client: r.Client()}

	return true
}

// Client returns the VU's client in a step; nil outside a sweep.
func (r *Runs) Client() *measure.Client { return r.client }

// Op returns the step's default operation name; "" outside a sweep.
func (r *Runs) Op() string {
	if r.session == nil {
		return ""
	}

	return r.session.Op
}

// Place returns the client's index, the number of clients, and their group. In a sweep, the step's
// start channel identifies the group, because it does not keep the step in memory. Otherwise the
// group consists of the test's current VUs.
func (r *Runs) Place() (index, clients int, of any) {
	if c := r.Client(); c != nil {
		return c.Index(), c.Step().Clients(), c.Step().Line()
	}
	vu := r.host.VU()
	id := int(vu.State().VUID)
	if id == 0 {
		return 0, 1, "setup"
	}
	clients = id
	if state := lib.GetExecutionState(vu.Context()); state != nil {
		clients = max(clients, int(state.GetInitializedVUsCount()))
	}

	return id - 1, clients, "VUs"
}

// errEnded is returned by a run that the end of the test interrupts.
var errEnded error = k6x.Errorf(k6x.KindCancelled, "the test ended before the run was over")

// reportEvery is how often the runs call Elapsed, which checks the clock.
const reportEvery = 100 * time.Millisecond

var errEnough = errors.New("the client's share of the step is done")

// Do runs job at the client's seat, if it has one. The context ends when the client's share of the
// step is done; Do then returns nil, and otherwise job's error. It does not count bytes sent
// before.
func (r *Runs) Do(job func(context.Context) error) error {
	vuContext := r.host.VU().Context()
	ctx, cancel := context.WithCancelCause(vuContext)
	defer cancel(nil)
	r.over.Store(false)
	stop := func(cause error) {
		cancel(cause)
		r.over.Store(true)
	}
	r.stop, r.fault = stop, nil
	defer context.AfterFunc(vuContext, func() { r.over.Store(true) })()
	if client := r.Client(); client != nil && client.Step().OpenLoop() {
		defer context.AfterFunc(client.Step().Starts(), func() { stop(errEnough) })()
	}
	r.moving.Traffic()
	err := r.inTurns(func() error { return job(ctx) })
	if err == nil {
		err = context.Cause(ctx) // the last operation may have ended the run
	}
	r.moving.Traffic()
	r.host.Emit()
	switch {
	case vuContext.Err() != nil:
		return errEnded
	case errors.Is(err, errEnough):
		return nil
	default:
		return err
	}
}

// Next waits until the next n operations, sent together, may start: in an open loop, until the
// first is due. It returns an error if the run is over.
func (r *Runs) Next(ctx context.Context, n int) error {
	if client := r.Client(); client != nil {
		var sleep func(until time.Duration)
		if r.seat.Inside() {
			sleep = func(until time.Duration) { r.seat.Sleep(ctx, until) }
		}
		if !client.Next(n, sleep) {
			r.stop(errEnough)
		}
	}
	if r.over.Load() {
		return context.Cause(ctx)
	}

	return nil
}

// Ended counts an operation, failed if reason is set. recorder records it in the step; it is nil
// outside a sweep. Ended ends the run when the client's share of the step is done, or if reason
// wraps ErrClosed.
func (r *Runs) Ended(recorder *measure.Recorder, took time.Duration, reason error) {
	if errors.Is(reason, ErrClosed) {
		r.stop(reason)
	}
	switch {
	case recorder == nil:
		if r.fault == nil {
			r.fault = reason
		}
	case reason != nil:
		recorder.FailAfter(took, reason)
	default:
		recorder.Ok(took)
	}
	received, sent := r.moving.Traffic()
	if recorder != nil {
		if received+sent > 0 { // a pipeline's bytes count for its first operation
			recorder.Bytes(sent, received)
		}
		if r.client.Enough() {
			r.stop(errEnough)
		}
	}
	if r.unreported += took; r.unreported >= reportEvery {
		r.host.Elapsed(r.unreported)
		r.unreported = 0
	}
}

// stepGoesOn says why a client must not idle.
const stepGoesOn = "and the step is not: give the scenario untilDone: true, in the place of iterations or duration"

// idles reports whether a client has nothing left to do in a step that goes on: its call did
// nothing.
func (r *Runs) idles(did uint64) bool {
	client := r.Client()

	return client != nil && did == 0 && client.Measuring() && !client.Done()
}

// LogFailures logs how many operations failed in a run outside a sweep, and the first error. It
// does so once per module.
func (r *Runs) LogFailures(failed, succeeded uint64) {
	if r.fault != nil && r.shared.logged.CompareAndSwap(false, true) {
		r.host.VU().State().Logger.Warnf("run: %d of %d operations failed, the first with: %s. "+
			"Later runs with failures are not logged; check failed in the result of run",
			failed, failed+succeeded, r.fault)
	}
}

// inTurns runs a job at the client's seat. In a duet with a rate, where a job is one operation, it
// runs the job on the client's goroutine.
func (r *Runs) inTurns(job func() error) error {
	client := r.Client()
	if r.seat == nil || client != nil && client.Step().OpenLoop() && client.Step().IsDuet() {
		return job()
	}
	r.seat.Waited = nil
	if client != nil {
		r.seat.Waited = r.waits.record
		defer func() { r.seat.Waited = nil }()
	}
	index, _, _ := r.Place()
	err := r.seat.Do(index, job)
	if fault, is := errors.AsType[*crash.Error](err); is {
		panic(fault.Value) // as if the job had run here
	}

	return err
}

type waits struct {
	client *measure.Client
	// loops has one recorder per event loop.
	loops []*measure.Waits
}

func (w *waits) record(loop int, wait time.Duration) {
	for len(w.loops) <= loop {
		w.loops = append(w.loops, w.client.Step().Waits(len(w.loops)))
	}
	w.loops[loop].Record(w.client, wait)
}
