package main

import "strconv"

// Gets a second of an open loop: some tenth of what memtier_benchmark does in a closed one here. It
// is a multiple of each number of clients, as memtier_benchmark has a rate of each.
const openRate = 10_240

// measureOpenLoop is gets at the same rate through k6 and memtier_benchmark.
func measureOpenLoop(e *effort) (result, error) {
	bounds := []named{
		{"p50", p50, atMost(mostOfOpen), nil}, {"p99", p99, atMost(mostOfOpen), nil}, {"us", processor, atMost(mostOfPeer), because(whyBursts)},
	}
	var all []*contest
	for _, clients := range []int{8, 64, 512} {
		all = append(all, &contest{
			work: "memcached", clients: clients,
			k6: entrant{program: "k6, client.run", run: openK6(clients, e.seconds)},
			besideIt: []entrant{{
				program: memtier, needs: memtier, peer: true, bounds: bounds, run: openMemtier(clients, e.share(clients, openRate/clients, clients)),
			}},
		})
	}

	return compete(e, strconv.Itoa(openRate)+" gets of 100 bytes a second from memcached, in an open loop", all)
}

func openK6(clients int, seconds float64) func() (figures, error) {
	return func() (figures, error) {
		return stepFigures("scripts/bench/open.js", "open", map[string]string{
			"CLIENTS": strconv.Itoa(clients), "RATE": strconv.Itoa(openRate), "DURATION": strconv.Itoa(int(seconds*1000)) + "ms", "WARMUP": warmup,
		})
	}
}
