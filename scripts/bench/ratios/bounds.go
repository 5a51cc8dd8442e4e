package main

// The bounds that k6 has to hold beside other programs.
const (
	mostOfPlain   = 1.05 // times the processor time of a plain Go program over the same client library
	leastOfPlain  = 0.97 // of its rate
	mostOfPlainP  = 1.5  // times its p99
	mostOfFloor   = 1.5  // times the processor time of a program that decodes nothing
	leastOfSpread = 0.95 // of the shortest client time over the longest of event loops in C
	mostOfBatches = 1.3  // times a plain Go program's processor time in batches
	leastOfPeer   = 1.3  // of the rate of a peer's benchmark
	mostOfPeer    = 1.0  // times its p99, and its processor time
	mostOfOpen    = 1.2  // times its p50 and p99 at the same rate
)

// What is known of bounds that k6 cannot hold.
const (
	whyGoroutines = "a goroutine goes on with one of hundreds of clients while the answers of others wait, as its p50 and min/max say;\n" +
		"  k6 gives each client its turn, and finds its memory outside of the processor's caches"
	whyFloor = "k6 draws keys, decodes, checks each answer, and counts it for its client;\n" +
		"  what it has of hundreds of clients is outside of the processor's caches"
	whyCalls   = "k6 calls a function of JavaScript for each operation, and each client has a runtime of its own"
	whyBatches = "k6 keeps and checks each answer of a batch"
	whyQueries = "k6 calls a function of JavaScript for each query, which goes through database/sql and pgx to get its row;\n" +
		"  pgbench is two threads of C that look at no row, and k6 with its server has two cores alone"
	whyBursts = "its connections send at the same times, all of a thread's when it wakes once;\n" +
		"  k6 starts each operation when that is due, and wakes for it and for its answer"
	whyOneByOne = "memcached sends the answers to pipelined commands of its text protocol one by one,\n" +
		"  which takes most of the processor time, whoever asks;\n" +
		"  in pipelines of the meta protocol, below, k6 has several times the rate"
	whyUnread = "redis-benchmark sends the same command again and again, and looks at no value;\n" +
		"  k6 draws keys, checks each value, and records each operation"
)

// crowdFrom is from how many clients on it shows whether each has its turn.
const crowdFrom = 64

// rateOf is the bound of a rate. One client alone leaves the processor idle, so that its rate says
// little of k6, and has none.
func rateOf(clients int, least float64, reason why) []named {
	if clients == 1 {
		return nil
	}

	return []named{{"rate", rate, atLeast(least), reason}}
}

// besidePlain are the bounds beside a plain Go program over the same client library.
func besidePlain(clients int, reason why) []named {
	return append([]named{{"us", processor, atMost(mostOfPlain), reason}, {"p99", p99, atMost(mostOfPlainP), reason}},
		rateOf(clients, leastOfPlain, reason)...)
}

// besideGomemcache are those beside bradfitz/gomemcache.
func besideGomemcache() []named { return []named{{"us", processor, atMost(1), because(whyGoroutines)}} }

// besideBatches are those where both do batches.
func besideBatches() []named {
	return []named{{"us", processor, atMost(mostOfBatches), because(whyBatches)}}
}

// besideFloor are those beside a program that decodes nothing.
func besideFloor(reason why) []named { return []named{{"us", processor, atMost(mostOfFloor), reason}} }

// besideFloorC are those beside one in C with event loops.
func besideFloorC(clients int) []named {
	bounds := besideFloor(floorInGoCannot)
	if clients > 1 {
		bounds = append(bounds, named{"min/max", spread, atLeast(leastOfSpread), nil})
	}

	return bounds
}

// besidePeerInBatches are those where both do pipelines: an operation of the peer's is another one,
// so that p99 says nothing.
func besidePeerInBatches(server, program string, clients int) []named {
	slow, dear := why(threadCannot), why(nil)
	switch {
	case server == "memcached":
		slow, dear = because(whyOneByOne), because(whyOneByOne)
	case program == redisBenchmark:
		slow, dear = either(threadCannot, because(whyUnread)), because(whyUnread)
	}

	return append(rateOf(clients, leastOfPeer, slow), named{"us", processor, atMost(mostOfPeer), dear})
}

// besidePeer are those beside a peer's benchmark.
func besidePeer(clients int) []named {
	return append(besidePeersService(clients), named{"us", processor, atMost(mostOfPeer), floorCannot})
}

// besidePeersService are those where a service that the peer has in a process of its own is in k6:
// processor times say nothing.
func besidePeersService(clients int) []named {
	return append(rateOf(clients, leastOfPeer, either(floorCannot, coresCannot, threadCannot)),
		named{"p99", p99, atMost(mostOfPeer), either(floorCannot, oneLoopCan)})
}

// besidePgbench are those beside pgbench's prepared form.
func besidePgbench() []named {
	reason := because(whyQueries)

	return []named{{"rate", rate, atLeast(1), reason}, {"p99", p99, atMost(1), reason}, {"us", processor, atMost(1), reason}}
}
