package runs

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Host is the module that a client is of: a k6mod.Module.
type Host interface {
	VU() modules.VU
	// Emit sends the module's metrics.
	Emit()
	// Elapsed is told for how long there were operations, and sends the module's metrics once in a
	// second.
	Elapsed(took time.Duration)
}

// Runs are those of one client of a script. They belong to its VU.
type Runs struct {
	// What each operation needs comes first, side by side: of hundreds of clients all memory is
	// outside of the processor's caches.

	moving Moving
	// client is the VU as a client of its step; nil outside of a sweep.
	client *measure.Client
	// seat is where runs take turns with those of other clients; nil: on goroutines of their own.
	seat *eventloop.Seat
	// untold is for how long there were operations since the host was told.
	untold time.Duration
	// over tells that the context of the run under way has ended, or is about to. Contexts are
	// memory more.
	over atomic.Bool

	host    Host
	shared  *Shared
	waits   waits
	session *k6glue.Session // of the step that the VU is a client of; nil: of none
	stop    context.CancelCauseFunc
	// fault is why the first operation of the run under way has failed outside of a sweep; nil:
	// none has.
	fault error
}

// Moving is a client whose operations move bytes.
type Moving interface {
	// Traffic returns the bytes received and sent since it was last asked.
	Traffic() (received, sent uint64)
}

// New returns the runs of a client of a script. All clients of a module have the same shared.
func New(host Host, shared *Shared, moving Moving) *Runs {
	return &Runs{host: host, shared: shared, moving: moving}
}

// TakeTurns lets runs take turns with those of other clients at the seat. The connections of the
// client have to be used there.
func (r *Runs) TakeTurns(seat *eventloop.Seat) { r.seat = seat }

// Join makes the runs those of the step that the VU is a client of now, or of none. It tells
// whether that is another one than before. It is for the beginning of each call.
func (r *Runs) Join() (another bool) {
	session := k6glue.SessionOf(r.host.VU())
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

// Client is the VU as a client of its step; nil outside of a sweep.
func (r *Runs) Client() *measure.Client { return r.client }

// Op is what the step calls operations that nobody has named; "" outside of a sweep.
func (r *Runs) Op() string {
	if r.session == nil {
		return ""
	}

	return r.session.Op
}

// Place is which of how many clients this one is, from zero, and what they are the clients of. In a
// sweep that is the step, of which the channel of its start line is a name that keeps nothing of it
// in memory. VUs of k6's own executors are those that the test has by now.
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

// errEnded is why a run has ended before its time.
var errEnded error = k6mod.Errorf(k6mod.KindCancelled, "the test ended before the run was over")

// tellEvery is how often the host is told of operations: it has to look at the clock.
const tellEvery = 100 * time.Millisecond

// errEnough ends a run whose client has done its share of a step.
var errEnough = errors.New("the client's share of the step is done")

// Do does a run: it calls job with a context that ends when the client's share of the step is done,
// at the client's seat if it has one, and returns its error, which is nil for that end. Traffic
// before it is nobody's.
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
	defer context.AfterFunc(vuContext, func() {
		defer crash.Contain("the end of a run")
		r.over.Store(true)
	})()
	if client := r.Client(); client != nil && client.Step().OpenLoop() {
		defer context.AfterFunc(client.Step().Starts(), func() {
			defer crash.Contain("the end of a step")
			stop(errEnough)
		})()
	}
	r.moving.Traffic()
	err := r.inTurns(func() error { return job(ctx) })
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

// Next waits until the next n operations of the run, which are done together, may begin: in an open
// loop until the first is due. An error says why there are none.
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

// Ended counts an operation of the run under way that took so long: as failed where there is a
// reason, and in the step by the recorder, which is nil outside of a sweep. It ends the run when
// the client's share of the step is done.
func (r *Runs) Ended(recorder *measure.Recorder, took time.Duration, reason error) {
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
		if received+sent > 0 { // a pipeline has those of its first operation
			recorder.Bytes(sent, received)
		}
		if r.client.Enough() {
			r.stop(errEnough)
		}
	}
	if r.untold += took; r.untold >= tellEvery {
		r.host.Elapsed(r.untold)
		r.untold = 0
	}
}

// Tell says in the log that operations of the run that is over have failed outside of a sweep, and
// why the first one has. It says so once of all clients of the module.
func (r *Runs) Tell(failed, succeeded uint64) {
	if r.fault != nil && r.shared.told.CompareAndSwap(false, true) {
		r.host.VU().State().Logger.Warnf("run: %d of %d operations failed, the first with: %s. "+
			"Of later runs that have failures the log has nothing; check failed of what run returns",
			failed, failed+succeeded, r.fault)
	}
}
