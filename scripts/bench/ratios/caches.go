package main

import "strconv"

const (
	cacheKeys  = "10000"
	cacheBatch = 50 // keys of a multi-get, commands of a pipeline
	// cacheSolo is how many gets a second one client does, roughly; cacheCrowd times as many do
	// many.
	cacheSolo, cacheCrowd = 20_000, 6
	// batchedMore is how many times more values come in batches.
	batchedMore = 8
)

// programOneLoop is k6 with one event loop.
const programOneLoop = "k6, GOMAXPROCS=1"

// cacheServers are the servers that gets are measured with.
var cacheServers = []string{"memcached", "redis"} //nolint:gochecknoglobals // a constant

// measureCaches is one get at a time, beside plain programs, floors and the peers' benchmarks.
func measureCaches(e *effort) (result, error) {
	var all []*contest
	for _, server := range cacheServers {
		for _, clients := range []int{1, 8, 64, 512} {
			share := e.share(clients, cacheSolo, cacheCrowd)
			c := &contest{work: server, clients: clients, k6: entrant{program: "k6, client.run", run: k6Gets(server, clients, share, "get:1", 1)}}
			if server == "memcached" {
				c.besideIt = []entrant{
					{program: "Go, wire", bounds: besidePlain(clients, because(whyGoroutines)), run: loopGets("wire", clients, share, "one")},
					{program: "Go, gomemcache", bounds: besideGomemcache(), run: loopGets("gomemcache", clients, share, "one")},
				}
			}
			if server == "redis" && clients >= crowdFrom {
				c.besideIt = append(c.besideIt, entrant{
					program: programOneLoop, run: within("GOMAXPROCS", "1", k6Gets(server, clients, share, "get:1", 1)),
				})
			}
			c.besideIt = append(c.besideIt, floors(server, clients, share)...)
			c.besideIt = append(c.besideIt, cachePeers(server, clients, share, 1)...)
			if server == "memcached" {
				c.besideIt = append(c.besideIt, entrant{
					program: mutilate, needs: mutilate, peer: true, bounds: besidePeer(clients), run: mutilateGets(clients),
				})
			}
			all = append(all, c)
		}
	}

	return compete(e, "gets of 100 bytes, one at a time", all)
}

// measurePipelines is pipelines and multi-gets. Figures are of values, whatever an operation is;
// p50 and p99 are those of operations.
func measurePipelines(e *effort) (result, error) {
	var all []*contest
	for _, server := range cacheServers {
		for _, clients := range []int{1, 8, 64, 512} {
			share := batchesOf(e, clients) * cacheBatch
			c := &contest{
				work: server, clients: clients,
				k6:       entrant{program: "k6, client.run", run: k6Gets(server, clients, share, "get:1", cacheBatch)},
				besideIt: cachePeers(server, clients, share, cacheBatch),
			}
			for i := range c.besideIt {
				if p := &c.besideIt[i]; p.program != mcCrusher {
					p.bounds = besidePeerInBatches(server, p.program, clients)
				}
			}
			all = append(all, c)
		}
	}
	for _, clients := range []int{1, 8, 64, 512} {
		batches := batchesOf(e, clients)
		all = append(all,
			&contest{
				work: "meta protocol", clients: clients,
				k6:       entrant{program: "k6, client.run", run: k6Script("memcached", clients, batches*cacheBatch, cacheBatch)},
				besideIt: goBatches(clients, batches, "pipeline", "-meta"),
			},
			&contest{
				work: "multi-get", clients: clients,
				k6:       entrant{program: "k6, client.run", run: batched(k6Gets("memcached", clients, batches, "getMulti:1", 1))},
				besideIt: goBatches(clients, batches, "multi"),
			})
	}

	return compete(e, "gets of 100 bytes in pipelines and multi-gets of 50; rate and us are of values, p50 and p99 of operations", all)
}

// goBatches is the plain Go program that does batches.
func goBatches(clients, batches int, get string, more ...string) []entrant {
	return []entrant{{program: "Go, wire", bounds: besideBatches(), run: batched(loopGets("wire", clients, batches, get, more...))}}
}

// batchesOf is how many batches each client does.
func batchesOf(e *effort, clients int) int {
	return e.share(clients, cacheSolo*batchedMore/cacheBatch, cacheCrowd)
}

// cachePeers are the benchmarks in C that people use.
func cachePeers(server string, clients, perClient, pipeline int) []entrant {
	var peers []entrant
	if server == "redis" {
		peers = append(peers, entrant{
			program: redisBenchmark, needs: redisBenchmark, peer: true, bounds: besidePeer(clients),
			run: redisGets(server, clients, perClient, pipeline),
		})
	}

	peers = append(peers, entrant{
		program: memtier, needs: memtier, peer: true, bounds: besidePeer(clients), run: memtierGets(server, clients, perClient, pipeline),
	})
	if server == "memcached" {
		peers = append(peers, entrant{
			program: mcCrusher, needs: mcCrusher, peer: true, bounds: besideFloor(because(whyFloor)),
			run: crusherGets(clients, pipeline),
		})
	}

	return peers
}

// k6Gets is a run of client.run, over the cache's own module.
func k6Gets(target string, clients, perClient int, mix string, pipeline int) func() (figures, error) {
	return func() (figures, error) {
		return stepFigures("scenarios/cache-sweep.js", "cache-sweep", map[string]string{
			"TARGET": target, "CLIENTS": strconv.Itoa(clients), "ITERATIONS": strconv.Itoa(perClient), "WARMUP": warmup,
			"MIX": mix, "KEYS": cacheKeys, "VALUE": "100", "BATCH": strconv.Itoa(cacheBatch), "PIPELINE": strconv.Itoa(pipeline),
		})
	}
}

// loopGets is a run of the plain Go program, over this client library.
func loopGets(library string, clients, perClient int, get string, more ...string) func() (figures, error) {
	return func() (figures, error) {
		return runProgram("caches", append([]string{
			"-client=" + library, "-clients=" + strconv.Itoa(clients), "-ops=" + strconv.Itoa(perClient),
			"-get=" + get, "-batch=" + strconv.Itoa(cacheBatch),
		}, more...)...)
	}
}

// batched turns the figures of operations that get a batch into those of values.
func batched(run func() (figures, error)) func() (figures, error) {
	return func() (figures, error) {
		f, err := run()

		return f.each(cacheBatch), err
	}
}
