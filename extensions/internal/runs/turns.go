package runs

import (
	"errors"
	"runtime"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// perLoop is how many operations a second each event loop has at most in an open loop. So the loops
// are few, and one that wakes does so for several clients.
const perLoop = 15_000

// few is up to how many clients for each processor are few.
const few = 8

// inTurns does a job of many operations at the client's seat: it takes turns with the jobs of other
// clients, in the order in which their answers come. In a duet at a rate it is of one operation,
// which the client does on its own goroutine; so does one that is alone in its step, whom a loop
// would cost a tenth to a quarter more processor time.
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
	if client != nil && client.Step().Clients() == 1 && !client.Step().OpenLoop() {
		return job()
	}
	index, _, _ := r.Place()
	if client != nil {
		client.AtLoop()
		index %= r.loopsOf(client.Step())
	}
	r.shared.know(r.host.VU().Context())
	err := r.seat.Do(index, job)
	if fault, is := errors.AsType[*crash.Error](err); is {
		panic(fault.Value) // as it would have come from a job on this goroutine
	}

	return err
}

// loopsOf is at how many loops the clients of a step are at most.
//
// Few clients of a server that shares the processors with k6 are at half as many as there are
// processors, where they ask for it: those of NATS do, and of Redis, which has one thread. Else the
// loops take turns with the server, and answers wait for the loop that is not at work. Microseconds
// of k6's processor time for an operation, operations a second, and p99 in milliseconds, at two
// loops and at one, on two cores (in turns, five rounds and eight, on an AMD EPYC):
//
//	Redis, get,  2 clients   16.8   12.7    43,900    44,000   0.10   0.09
//	Redis, get,  8 clients    7.0    6.8   140,000   139,700   0.80   0.14
//	Redis, get, 16 clients    6.5    7.0   148,900   137,800   1.15   0.28
//	Redis, get, 64 clients    6.0    6.5   160,400   147,000   1.90   0.89
//	NATS, get,   8 clients   12.1   11.2    55,100    55,600   0.86   0.74
//	NATS, put,   8 clients   12.7   11.6    47,200    49,900   0.75   0.68
//	NATS, put,  16 clients   12.8   11.7    46,600    47,800   4.0    3.6
//	NATS, put,  64 clients    9.0   11.3    54,100    45,000   3.6    4.9
//
// Beside memcached, which has four threads, 8 clients do 0.75 of the operations at one loop, for
// 1.2 times the processor time; beside Machbase, in pipelines of 50 to Redis, and where a service
// of NATS is in this process, they do 0.96, 0.93 and 0.88, for 1.17, 1.19 and 1.08 times.
func (r *Runs) loopsOf(step *measure.Step) int {
	processors := runtime.GOMAXPROCS(0)
	switch {
	case step.OpenLoop():
		return 1 + int(step.Rate()/perLoop)
	case r.halves && r.shared.Far() && !r.pipelined && step.Beside() && step.Clients() <= few*processors:
		return max(1, processors/2)
	default:
		return processors
	}
}

// waits are how long the answers to a client of a step have waited.
type waits struct {
	client *measure.Client
	// loops are where those of each loop are recorded.
	loops []*measure.Waits
}

func (w *waits) record(loop int, wait time.Duration) {
	for len(w.loops) <= loop {
		w.loops = append(w.loops, w.client.Step().Waits(len(w.loops)))
	}
	w.loops[loop].Record(w.client, wait)
}
