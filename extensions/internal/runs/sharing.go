package runs

import (
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/processors"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// perLoop is how many operations a second each event loop has at most in an open loop. So the loops
// are few, and one that wakes does so for several clients.
const perLoop = 15_000

// scarce is up to how many clients for each processor loops do not yield.
const scarce = 2

// Sharing is how the event loops of a closed loop share the processors with a server on this
// machine, where an operation is one request. The zero value is as if the server was elsewhere: a
// loop for each processor, which the kernel stops for the server when it sees fit.
//
// A server of one thread, such as Redis, and two loops are three that want two cores. One loop then
// waits for milliseconds, and with it the answers that have come to its clients, while the server
// and the other loop go on. So loops yield. Microseconds of k6's processor time for a get, gets a
// second, and p99 in milliseconds: at two loops, at one, and at two that yield (medians of five
// rounds in turns, on two cores of an AMD EPYC, of which somebody else had a part with 512):
//
//	  2 clients   19.8   15.8   18.2    35,500    36,700    40,400    0.10    0.10    0.09
//	  4 clients    8.0    8.6    9.1   116,700    90,300    99,400    0.11    0.10    0.12
//	  8 clients    7.1    7.2    6.7   137,500   136,000   146,200    0.45    0.15    0.11
//	 16 clients    6.7    7.2    6.4   147,600   136,500   151,800    2.5     0.29    0.19
//	 32 clients    6.4    6.3    6.3   152,900   153,500   157,000    3.3     0.43    0.34
//	 64 clients    6.6    6.7    6.2   145,500   142,600   155,400    3.6     0.95    0.77
//	512 clients   11.7   13.8   11.6    85,400    80,700    85,400   12.5    10.7    12.3
//
// Loops do not yield while others use more than a tenth of the machine, who would have each yielded
// processor for milliseconds: beside two processes that never rest, 8 clients had 0.15 of the gets
// a second, and 64 had 0.42.
//
// Beside a NATS, whose threads are many, few clients are better at one loop (6 to 10 % less
// processor time for gets and puts of 4, 8 and 16), and yielding takes off nothing; as many figures
// for puts:
//
//	 8 clients   13.0   12.2   13.5    44,500    45,700    45,300    1.08    0.70    0.74
//	64 clients    8.5   10.4    8.5    56,800    49,300    55,000    4.9     5.7     4.1
//
// Beside memcached, which has four threads, 8 clients do 0.75 of the operations at one loop, for
// 1.2 times the processor time, and 64 do 0.91 at two that yield, for 1.3 times. Beside Machbase,
// in pipelines of 50 to Redis, and where a service of NATS is in this process, 8 clients do 0.96,
// 0.93 and 0.88 at one loop, for 1.17, 1.19 and 1.08 times. Pipelines at loops that yield are the
// same, but for 1.1 times the processor time with 8 clients.
type Sharing struct {
	// Few is up to how many clients for each processor are at half as many loops as there are
	// processors.
	Few int
	// Yields tells that several loops let the server have their processors after each round, where
	// clients are many enough to keep them busy, and nobody else is.
	Yields bool
}

// share is at how many loops the clients of a step are at most, and whether those yield.
func (r *Runs) share(step *measure.Step) (loops int, yields bool) {
	all := processors.Count()
	switch how := r.sharing; {
	case step.OpenLoop():
		return 1 + int(step.Rate()/perLoop), false
	case how == Sharing{} || !step.Beside() || r.pipelined || !r.shared.Far():
		return all, false
	case step.Clients() <= how.Few*all:
		return max(1, all/2), false
	default:
		return all, how.Yields && all > 1 && step.Clients() > scarce*all
	}
}
