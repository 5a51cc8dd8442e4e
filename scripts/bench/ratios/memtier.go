package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// memtier is a widely used benchmark of caches, in C. It is measured where it is installed.
const memtier = "memtier_benchmark"

// memtierGets is a run of it, of gets of as many keys, as large, and all there.
func memtierGets(server string, clients, perClient, pipeline int) func() (figures, error) {
	return func() (figures, error) {
		return runMemtier(server, clients, perClient, "--pipeline="+strconv.Itoa(pipeline))
	}
}

// openMemtier is a run of it at a rate.
func openMemtier(clients, perClient int) func() (figures, error) {
	return func() (figures, error) {
		return runMemtier("memcached", clients, perClient, "--rate-limiting="+strconv.Itoa(openRate/clients))
	}
}

// memtierProtocols are its names for what the servers speak.
var memtierProtocols = map[string]string{"memcached": "memcache_text", "redis": "redis"} //nolint:gochecknoglobals // a constant

// runMemtier lets each of its clients get so many values, after it has written all keys.
func runMemtier(server string, clients, perClient int, flags ...string) (figures, error) {
	host, port, err := addressOf(server)
	if err != nil {
		return figures{}, err
	}
	dir, err := os.MkdirTemp("", "memtier")
	if err != nil {
		return figures{}, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	file := filepath.Join(dir, "results.json")
	common := []string{
		"--server=" + host, "--port=" + port, "--protocol=" + memtierProtocols[server], "--key-prefix=memtier:", "--key-minimum=1",
		"--key-maximum=" + cacheKeys, "--data-size=100", "--hide-histogram", "--json-out-file=" + file,
	}
	run := func(more ...string) ([]byte, spending, error) {
		return output(command(memtier, slices.Concat(common, more)...))
	}
	if _, _, err := run("--threads=1", "--clients=1", "--ratio=1:0", "--key-pattern=S:S", "--requests="+cacheKeys); err != nil {
		return figures{}, err
	}
	threads := min(clients, 2)
	_, micros, used, err := beyondStart(clients, perClient, func(requests int) ([]byte, spending, error) {
		return run(append([]string{
			"--threads=" + strconv.Itoa(threads), "--clients=" + strconv.Itoa(clients/threads), "--ratio=0:1", "--key-pattern=R:R",
			"--requests=" + strconv.Itoa(requests),
		}, flags...)...)
	})
	if err != nil {
		return figures{}, err
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return figures{}, err
	}
	f, err := parseMemtier(raw)
	f.CPUMicros, f.MemoryMB = micros, used.memoryMB

	return f, err
}

// parseMemtier reads what it writes. Misses are failures.
func parseMemtier(raw []byte) (f figures, err error) {
	var written struct {
		All struct {
			Gets struct {
				Misses float64 `json:"Misses/sec"`
			} `json:"Gets"`
			Totals struct {
				Count       float64 `json:"Count"`
				Rate        float64 `json:"Ops/sec"`
				Percentiles struct {
					P50 float64 `json:"p50.00"`
					P99 float64 `json:"p99.00"`
				} `json:"Percentile Latencies"`
			} `json:"Totals"`
		} `json:"ALL STATS"`
	}
	if err := json.Unmarshal(raw, &written); err != nil {
		return figures{}, err
	}
	totals := written.All.Totals
	if totals.Count <= 0 || totals.Rate <= 0 {
		return figures{}, errors.New("its file has no totals")
	}
	f = figures{OpsPerSecond: totals.Rate, P50Ms: totals.Percentiles.P50, P99Ms: totals.Percentiles.P99}
	if written.All.Gets.Misses > 0 {
		f.Failed = int(max(written.All.Gets.Misses/totals.Rate*totals.Count, 1))
	}

	return f, nil
}
