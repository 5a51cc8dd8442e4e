package cachebench

import (
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/runs"
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
	runs   *runs.Runs

	observer observer
	last     k6glue.Frozen[*asked]
	work     map[*asked]*job
	fills    map[string]*fill         // by what they write
	rates    map[bool]*hitrate.Client // by whether values are verified
}

// New returns the bench of a client. All clients of a module have the same shared; those with the
// same target, the server and how it is used, do the same passes and prefill the same keys. The
// cases of the hit-rate benchmark are spread over the stores, or all are the cache's when there are
// none.
func New(host Host, shared *Shared, target string, cache Cache, stores ...workload.Store) *Bench {
	if len(stores) == 0 {
		stores = []workload.Store{cache}
	}
	b := &Bench{
		host: host, shared: shared, target: target, cache: cache, stores: stores,
		runs: runs.New(host, &shared.Shared, cache),
		work: map[*asked]*job{}, fills: map[string]*fill{}, rates: map[bool]*hitrate.Client{},
	}
	b.observer.runs = b.runs

	return b
}

// TakeTurns lets runs take turns with those of other clients at the seat. The stores' connections
// have to be used there.
func (b *Bench) TakeTurns(seat *eventloop.Seat) { b.runs.TakeTurns(seat) }

// join makes the bench that of the step that the VU is a client of now, or of none. Streams of keys
// begin anew with a step.
func (b *Bench) join() {
	if b.runs.Join() {
		b.observer = observer{runs: b.runs}
		clear(b.work)
		clear(b.fills)
	}
}

// fail throws an operation's error, with what has been said around it. It ends the test where the
// server is one that the module cannot work with.
func (b *Bench) fail(err error) {
	e := b.host.As(err)
	e.Message = err.Error()
	if errors.Is(err, workload.ErrClosed) && e.Kind == k6mod.KindUsage {
		b.host.Abort(&e)

		return
	}
	b.host.Throw(&e)
}

// misuse throws the error of a call that is wrong.
func (b *Bench) misuse(format string, args ...any) { b.host.Throw(k6mod.Misuse(format, args...)) }
