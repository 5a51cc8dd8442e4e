package main

import "os"

// coresVariable holds the cores that programs run on while it is set, as taskset takes them.
const coresVariable = "BENCH_CORES"

// measureCores is the rate of one process by the cores that it may use. The server may use all.
func measureCores(e *effort) (result, error) {
	const clients = 64
	share := e.share(clients, cacheSolo, cacheCrowd)
	var all []*contest
	for _, on := range []struct{ work, cores string }{{"1 core", "0"}, {"2 cores", "0,1"}} {
		programs := append([]entrant{{program: "k6, client.run", run: k6Gets("memcached", clients, share, "get:1", 1)}},
			append(floors("memcached", clients, share, whyFloor), cachePeers("memcached", clients, share, 1)...)...)
		for i := range programs {
			programs[i].run = onCores(on.cores, programs[i].run)
		}
		all = append(all, &contest{work: on.work, clients: clients, k6: programs[0], besideIt: programs[1:]})
	}

	return compete(e, "gets of 100 bytes from memcached by 64 clients in a process on one core and on two, by taskset", all)
}

// onCores runs a program on some cores.
func onCores(cores string, run func() (figures, error)) func() (figures, error) {
	return func() (figures, error) {
		if err := os.Setenv(coresVariable, cores); err != nil {
			return figures{}, err
		}
		defer os.Unsetenv(coresVariable) //nolint:errcheck // it is there

		return run()
	}
}
