package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
)

// natsCLI is NATS's own tool, of which `nats bench` is a part; scripts/tools/natscli pins it.
const natsCLI = "bin/nats-cli"

// natsBenchBucket is the bucket of `nats bench`.
const natsBenchBucket = "bench-nats-cli"

// Its clients begin one after another. So that many of them are at work at once, each does so many
// operations at least; where their latencies come to less than this part of them, by Little's law,
// they were not.
const leastNatsBench, leastAtOnce = 300, 0.7

// natsBench is a run of `nats bench` that does the same work.
func natsBench(work string, clients, perClient, batch int) func() (figures, error) {
	return func() (figures, error) {
		home, err := os.MkdirTemp("", "nats")
		if err != nil {
			return figures{}, err
		}
		defer os.RemoveAll(home) //nolint:errcheck // a temporary folder

		return (&natsTool{home}).bench(work, clients, perClient*batch)
	}
}

// natsTool has no settings of a user.
type natsTool struct{ home string }

func (t *natsTool) command(args ...string) *exec.Cmd {
	cmd := command(natsCLI, append(args, "--no-context")...)
	cmd.Env = append(os.Environ(), "HOME="+t.home, "XDG_CONFIG_HOME="+t.home)

	return cmd
}

func (t *natsTool) bench(work string, clients, perClient int) (figures, error) {
	var args []string
	switch work {
	case "put", "get":
		bucket := "--bucket=" + natsBenchBucket
		if _, _, err := output(t.command("kv", "add", natsBenchBucket)); err != nil {
			return figures{}, err
		}
		defer func() { _, _, _ = output(t.command("kv", "del", "--force", natsBenchBucket)) }() // it is in nobody's way
		fill := t.command("bench", "kv", "put", bucket, "--size=100", "--msgs="+cacheKeys, "--no-progress")
		if _, _, err := output(fill); err != nil {
			return figures{}, err
		}
		args = []string{"kv", work, bucket, "--size=100", "--randomize=" + cacheKeys}
	case "request":
		serve := t.command("bench", "service", "serve", "bench.nats-cli", "--size=100", "--msgs=2000000000", "--no-progress")
		if err := serve.Start(); err != nil {
			return figures{}, err
		}
		defer func() {
			_ = serve.Process.Kill()
			_ = serve.Wait()
		}()
		args = []string{"service", "request", "bench.nats-cli", "--size=100"}
		if err := t.answers(); err != nil {
			return figures{}, err
		}
	default:
		args = []string{"pub", "bench.nats-cli", "--size=100"}
	}
	if clients >= crowdFrom && work != "publish" {
		perClient = max(perClient, leastNatsBench)
	}
	out, micros, used, err := beyondStart(clients, perClient, func(operations int) ([]byte, spending, error) {
		return output(t.command(slices.Concat([]string{"bench"}, args,
			[]string{"--clients=" + strconv.Itoa(clients), "--msgs=" + strconv.Itoa(clients*operations), "--no-progress"})...))
	})
	if err != nil {
		return figures{}, err
	}
	f, err := parseNatsBench(out, clients)
	f.CPUMicros, f.MemoryMB = micros, used.memoryMB
	if work == "publish" { // what it tells is the time of putting a message into a buffer
		f.P50Ms, f.P99Ms = 0, 0
	}

	return f, err
}

// answers waits until the service answers: one request of the tool waits for that.
func (t *natsTool) answers() error {
	var err error
	for range 20 {
		if _, _, err = output(t.command("bench", "service", "request", "bench.nats-cli", "--msgs=1", "--no-progress")); err == nil {
			return nil
		}
	}

	return fmt.Errorf("its service does not answer: %w", err)
}

// The last lines that it prints are those of all clients together.
var (
	natsRate      = regexp.MustCompile(`aggregated stats: ([\d,]+) msgs/sec`)
	natsLatencies = regexp.MustCompile(`latencies per operation .*\| avg ([\d,.]+)us .*\| P50 ([\d,.]+)us .*\| P99 ([\d,.]+)us`)
	natsAlone     = regexp.MustCompile(`stats: ([\d,]+) msgs/sec.* avg: ([\d,.]+)us .* P50: ([\d,.]+)us.* P99: ([\d,.]+)us`)
)

// parseNatsBench reads what it prints. It tells no latencies where its clients were not at work at
// once.
func parseNatsBench(out []byte, clients int) (figures, error) {
	found := append(natsRate.FindSubmatch(out), tail(natsLatencies.FindSubmatch(out))...)
	if len(found) != 5 {
		found = natsAlone.FindSubmatch(out)
	}
	if len(found) != 5 {
		return figures{}, fmt.Errorf("nats bench printed no figures of all clients: %s", out)
	}
	var numbers [4]float64 // a second; then microseconds
	for i, text := range found[1:] {
		n, err := strconv.ParseFloat(string(bytes.ReplaceAll(text, []byte(","), nil)), 64)
		if err != nil {
			return figures{}, err
		}
		numbers[i] = n
	}

	f := figures{OpsPerSecond: numbers[0]}
	if atOnce := numbers[0] * numbers[1] / 1e6; atOnce >= leastAtOnce*float64(clients) {
		f.P50Ms, f.P99Ms = numbers[2]/1e3, numbers[3]/1e3
	}

	return f, nil
}

func tail(groups [][]byte) [][]byte {
	if len(groups) == 0 {
		return nil
	}

	return groups[1:]
}
