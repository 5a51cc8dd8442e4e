package cachebench

import (
	"context"
	"errors"

	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload/hitrate"
)

// Bench is what a client of a script keeps for its runs. It belongs to its VU.
type Bench struct {
	host   Host
	shared *Shared
	target string
	cache  Cache
	stores []workload.Store
	// seat is where runs take turns with those of other clients; nil: on goroutines of their own.
	seat  *eventloop.Seat
	waits waits

	observer observer
	session  *k6glue.Session // of which observer and work are; nil: none
	work     map[string]*begun
	// fills are the clients that prefill, by their keys; nil where others do.
	fills map[string]*workload.Client
	rates map[bool]*hitrate.Client // by whether values are verified
}

// begun is a workload whose client goes on from call to call.
type begun struct {
	client *workload.Client
	tags   k6mod.Tags
}

// New returns the bench of a client. All clients of a module have the same shared; those with the
// same target, the server and how it is used, do the same passes and prefill the same keys. The
// cases of the hit-rate benchmark are spread over the stores, or all are the cache's when there are
// none.
func New(host Host, shared *Shared, target string, cache Cache, stores ...workload.Store) *Bench {
	if len(stores) == 0 {
		stores = []workload.Store{cache}
	}

	return &Bench{
		host: host, shared: shared, target: target, cache: cache, stores: stores,
		observer: observer{host: host, cache: cache},
		work:     map[string]*begun{}, fills: map[string]*workload.Client{}, rates: map[bool]*hitrate.Client{},
	}
}

// TakeTurns lets runs take turns with those of other clients at the seat. The stores' connections
// have to be used there.
func (b *Bench) TakeTurns(seat *eventloop.Seat) { b.seat = seat }

// join makes the bench that of the step that the VU is a client of now, or of none. Streams of keys
// begin anew with a step.
func (b *Bench) join() {
	session := k6glue.SessionOf(b.host.VU())
	if session == b.session {
		return
	}
	b.session = session
	b.observer = observer{host: b.host, cache: b.cache}
	if session != nil {
		b.observer.client = session.Client
	}
	b.waits.join(session)
	clear(b.work)
	clear(b.fills)
}

// place is which of how many clients this one is, from zero, and what they are the clients of. In a
// sweep that is the step, of which the channel of its start line is a name that keeps nothing of it
// in memory. VUs of k6's own executors are those that the test has by now.
func (b *Bench) place() (index, clients int, of any) {
	if b.session != nil {
		c := b.session.Client

		return c.Index(), c.Step().Clients(), c.Step().Line()
	}
	id := int(b.host.VU().State().VUID)
	if id == 0 {
		return 0, 1, "setup"
	}
	clients = id
	if state := lib.GetExecutionState(b.host.VU().Context()); state != nil {
		clients = max(clients, int(state.GetInitializedVUsCount()))
	}

	return id - 1, clients, "VUs"
}

// during calls job with a context that ends when the client's share of a step is done, and returns
// its error, which is nil for that end. Traffic before it is nobody's.
func (b *Bench) during(job func(context.Context) error) error {
	vuContext := b.host.VU().Context()
	ctx, stop := context.WithCancelCause(vuContext)
	defer stop(nil)
	b.observer.stop = stop
	b.cache.Traffic()
	err := b.inTurns(func() error { return job(ctx) })
	b.cache.Traffic()
	b.host.Emit()
	switch {
	case vuContext.Err() != nil:
		return errEnded
	case errors.Is(err, errEnough):
		return nil
	default:
		return err
	}
}

// fail throws an operation's error, with what has been said around it.
func (b *Bench) fail(err error) {
	e := b.host.As(err)
	e.Message = err.Error()
	b.host.Throw(&e)
}

// misuse throws the error of a call that is wrong.
func (b *Bench) misuse(format string, args ...any) { b.host.Throw(k6mod.Misuse(format, args...)) }
