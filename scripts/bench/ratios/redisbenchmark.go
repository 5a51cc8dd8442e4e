package main

import (
	"encoding/csv"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// redisBenchmark is Redis's own benchmark, in C. It is measured where it is installed.
const redisBenchmark = "redis-benchmark"

// redisGets is a run of it, of gets of k6's keys, by two threads as those of memtier_benchmark.
func redisGets(server string, clients, perClient int) func() (figures, error) {
	return func() (figures, error) {
		host, port, err := addressOf(server)
		if err != nil {
			return figures{}, err
		}
		operations := clients * perClient
		cmd := exec.Command(redisBenchmark, "-h", host, "-p", port, "-t", "get", "-c", strconv.Itoa(clients),
			"-n", strconv.Itoa(operations), "-r", cacheKeys, "-d", "100", "--threads", strconv.Itoa(min(clients, 2)), "--csv")
		out, err := cmd.Output()
		if err != nil {
			return figures{}, fmt.Errorf("%s: %w", redisBenchmark, err)
		}
		f, err := parseRedisBenchmark(string(out))
		if err != nil {
			return figures{}, fmt.Errorf("%s: %w", redisBenchmark, err)
		}
		f.CPUMicros = float64((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Microseconds()) / float64(operations)

		return f, nil
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
