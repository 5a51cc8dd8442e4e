package workload

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload/ycsb"
)

// Cache is a module's client, used as a store. Its operations count in the module's metrics.
type Cache interface {
	Store
	Moving
}

// CacheBench keeps a script client's state between runs. It belongs to one VU.
type CacheBench struct {
	host   Host
	shared *CacheShared
	target string
	cache  Cache
	stores []Store
	runs   *Runs
	ycsb   *YCSBBench

	observer *observer[Op] // records accesses of the hit-rate benchmark
	last     k6x.Frozen[*asked]
	work     map[*asked]*job
	fills    map[string]*fill     // prefills by their keys and values
	rates    map[bool]*RateClient // hit-rate clients by the option verify
}

// NewCache returns a client's bench. All clients of a module pass the same shared. Clients with the
// same target share passes of the hit-rate benchmark and prefilled keys. target identifies the
// server and how it is used. The hit-rate cases are spread over stores; without stores, cache takes
// them all.
func NewCache(host Host, shared *CacheShared, target string, cache Cache, stores ...Store) *CacheBench {
	if len(stores) == 0 {
		stores = []Store{cache}
	}
	b := &CacheBench{
		host: host, shared: shared, target: target, cache: cache, stores: stores,
		runs: NewRuns(host, &shared.Shared, cache),
		work: map[*asked]*job{}, fills: map[string]*fill{}, rates: map[bool]*RateClient{},
	}
	b.observer = newObserver(b.runs, Op.String)
	b.ycsb = NewYCSB(host, &shared.ycsb, target, cache, records(cache))

	return b
}

// TakeTurns runs operations as jobs at the seat's event loop. The stores' connections must use the
// same seat.
func (b *CacheBench) TakeTurns(seat *eventloop.Seat) {
	b.runs.TakeTurns(seat)
	b.ycsb.TakeTurns(seat)
}

// records returns the cache as a store of records: its own, or one that keeps each as one value.
func records(cache Cache) ycsb.Store {
	if store, is := cache.(ycsb.Store); is {
		return store
	}

	return ycsb.Whole(cache)
}

// YCSB is client.ycsb(workload, options): it does operations of YCSB's core workloads.
func (b *CacheBench) YCSB(call sobek.FunctionCall) sobek.Value { return b.ycsb.Run(call) }

// join attaches the bench to the VU's current step, if any. A new step restarts the random streams.
func (b *CacheBench) join() {
	if b.runs.Join() {
		*b.observer = *newObserver(b.runs, Op.String)
		clear(b.work)
		clear(b.fills)
	}
}

func (b *CacheBench) misuse(format string, args ...any) { b.host.Throw(k6x.Misuse(format, args...)) }
