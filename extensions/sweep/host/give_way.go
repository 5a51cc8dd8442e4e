package host

// way says whether k6 gives way to the server: whether a thread of k6's that could go on waits
// until a server's thread has done what it does, where they share a processor. Else the kernel
// stops the server where it has just answered: both find their memory cold, and the other clients
// wait for longer.
//
// Beside a Machbase on the same two cores, k6's processor time of a query in microseconds, the
// rate, and p99 in milliseconds, without and with, each query a call of JavaScript:
//
//	  8 clients   23.1   15.4   21,482   24,227    0.90    0.81
//	 64 clients   27.5   17.9   18,700   22,558   12.3     8.2
//	512 clients   37.5   29.5   14,314   15,869   404     182
//
// The price is that some clients have more than their share: those whose threads of the server's
// share a processor with few others, or go on with their next request at once. Where each query is
// a call of JavaScript, the luckiest client had 1.8, 2.7 and 3.2 times the operations of the median
// one with 8, 64 and 512 clients in steps of four seconds, without giving way 1.05, 1.2 and 2.5,
// and up to 14 in steps of ten. So k6 gives no way while one client is mostLead times ahead. Of
// hundreds, the luckiest is about twice ahead without giving way as well: with 512 in steps of ten
// seconds (medians of three) it had 2.0 times the operations of the median one where k6 gave way up
// to 1.3, which is nearly never, and 2.9 up to three; the unluckiest 0.45 and 0.56; p50 was 21 and
// 31 ms, and p99 610 and 410. What runs at event loops, as client.run does, is as fair with it as
// without (1.2 with 8 and 64 clients), and is not asked for its lead. To call sched_yield besides,
// where nobody else of k6's could go on, changed nothing.
//
// It is told from the warm-up, and then from each slot of the step: in steps of 1.2 s, to begin at
// the start line and not after the first slot takes off 3 to 11 % with 8 and 512 clients.
//
// Threads that wait as soon as they have answered, such as those of memcached, Redis, NATS and
// PostgreSQL, are not in the middle of anything: there it brought nothing, and took off a tenth of
// memcached's operations with 8 clients. k6 uses more than half as much of the processors as those,
// which tells them from others. Who else is busy on the machine would be given way to as well:
// beside two processes that never rest, k6 would do 0.7 of the operations. So it gives no way
// there.
type way struct {
	// idle, server, k6 and others are their parts of the machine, most of it those of the last three
	// slots; seen tells that there was one.
	idle, server, k6, others float64
	seen                     bool
	// gives tells that k6 gives way now.
	gives bool
}

const (
	// mostOthers is the part of the machine that others than k6 and the server use at most, where k6
	// gives way.
	mostOthers = 0.1
	// mostLead is how many times the operations of the median client the luckiest one has at most,
	// and mostLeadOfCrowd the same in a crowd.
	mostLead, mostLeadOfCrowd = 1.3, 3.0
	// slow is how many times as much processor time as k6 the server uses at least there.
	slow = 2
)

// turn makes k6 give way, or no longer.
func (w *way) turn(gives bool) {
	if gives != w.gives {
		w.gives = gives
		giveWay(gives)
	}
}

// forget forgets what slots were like: those of the warm-up end with clients that wait for others.
func (w *way) forget() { w.seen = false }

// see takes note of a slot, and tells whether k6 is to give way in the next one.
func (w *way) see(s *slot) bool {
	if s.unknown() || s.length <= 0 {
		return false
	}
	weight := 1.0
	if w.seen {
		weight = 1.0 / 3
	}
	w.seen = true
	w.idle += weight * (s.share(s.idle) - w.idle)
	w.server += weight * (s.share(s.server) - w.server)
	w.k6 += weight * (s.share(s.k6) - w.k6)
	w.others += weight * (s.share(s.others()) - w.others)

	return w.idle <= fullSlot && w.server >= slow*w.k6 && w.others <= mostOthers
}

// alone tells whether others leave the machine to k6 and the server.
func (w *way) alone() bool { return w.seen && w.others <= mostOthers }

// mostLeadOf is mostLead of so many clients.
func mostLeadOf(clients int) float64 {
	if clients >= crowd {
		return mostLeadOfCrowd
	}

	return mostLead
}
