package main

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

// redisBenchmark is Redis's own benchmark, in C. It is measured where it is installed.
const redisBenchmark = "redis-benchmark"

// redisGets is a run of it, of gets of k6's keys, by two threads as those of memtier_benchmark.
func redisGets(server string, clients, perClient, pipeline int) func() (figures, error) {
	return func() (figures, error) {
		host, port, err := addressOf(server)
		if err != nil {
			return figures{}, err
		}
		out, micros, used, err := beyondStart(clients, perClient, func(operations int) ([]byte, spending, error) {
			return output(command(redisBenchmark, "-h", host, "-p", port, "-t", "get", "-c", strconv.Itoa(clients),
				"-n", strconv.Itoa(clients*operations), "-r", cacheKeys, "-d", "100", "--threads", strconv.Itoa(min(clients, 2)),
				"-P", strconv.Itoa(pipeline), "--csv"))
		})
		if err != nil {
			return figures{}, err
		}
		f, err := parseRedisBenchmark(string(out))
		f.CPUMicros, f.MemoryMB = micros, used.memoryMB

		return f, err
	}
}

// parseRedisBenchmark reads the table that it prints: a head, and a line of gets.
func parseRedisBenchmark(out string) (figures, error) {
	lines, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(lines) != 2 {
		return figures{}, fmt.Errorf("it printed %q, and no table of one test", out)
	}
	var f figures
	for name, to := range map[string]*float64{"rps": &f.OpsPerSecond, "p50_latency_ms": &f.P50Ms, "p99_latency_ms": &f.P99Ms} {
		at := -1
		for i, head := range lines[0] {
			if head == name {
				at = i
			}
		}
		if at < 0 {
			return figures{}, fmt.Errorf("its table has no %s: %q", name, out)
		}
		if *to, err = strconv.ParseFloat(lines[1][at], 64); err != nil {
			return figures{}, fmt.Errorf("%s: %w", name, err)
		}
	}

	return f, nil
}
