package main

import (
	"strings"
	"testing"
)

func TestFairnessBesidePeers(t *testing.T) {
	t.Parallel()
	of := func(change func(*shares)) *fairness {
		s := &shares{
			server: "memcached", clients: 512,
			k6: figures{OpsPerSecond: 130_000, CPUMicros: 6, P50Ms: 3.9, P99Ms: 10, ClientSpread: 0.98, ClientWaitMs: 1.5},
			others: []peer{
				{program: "Go, goroutines", figures: figures{OpsPerSecond: 260_000, CPUMicros: 3, P50Ms: 0.01, P99Ms: 5}},
				{program: memtier, figures: figures{OpsPerSecond: 100_000, CPUMicros: 16, P50Ms: 5, P99Ms: 10}, bounds: ofPeer},
			},
		}
		change(s)

		return &fairness{rounds: 3, all: []*shares{s}}
	}
	f := of(func(*shares) {})
	if !f.holds() {
		t.Errorf("it does not hold:\n%s", f)
	}
	for _, want := range []string{
		"| memcached |     512 | k6, client.run    |   130000 |    6.00 |   3.900 |  10.000 |    0.98 |   1.500 |  |",
		"| Go, goroutines    |   260000 |    3.00 |   0.010 |   5.000 |       – |       – | rate 0.50; p99 2.00; us 2.00 |",
		"| rate 1.30 (>= 1.30); p99 1.00 (<= 1.00); us 0.38 (<= 1.00) |",
	} {
		if !strings.Contains(f.String(), want) {
			t.Errorf("%q is not in\n%s", want, f)
		}
	}
	for name, spoil := range map[string]func(*shares){
		"slow": func(s *shares) { s.k6.OpsPerSecond = 129_000 },
		"late": func(s *shares) { s.k6.P99Ms = 10.1 },
		"dear": func(s *shares) { s.k6.CPUMicros = 16.1 },
	} {
		if f := of(spoil); f.holds() {
			t.Errorf("%s: it holds:\n%s", name, f)
		}
	}
}

func TestContendersOfServers(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]string{
		"memcached": "Go, goroutines|floor, Go|floor, C|memtier_benchmark",
		"redis":     "floor, Go|floor, C|redis-benchmark|memtier_benchmark",
	} {
		var names []string
		for _, c := range contenders(server) {
			names = append(names, c.program)
			if strings.HasSuffix(c.program, "benchmark") != (len(c.bounds) > 0) {
				t.Errorf("%s has %d bounds", c.program, len(c.bounds))
			}
		}
		if got := strings.Join(names, "|"); got != want {
			t.Errorf("%s: %s, want %s", server, got, want)
		}
	}
}

func TestAddressOfServer(t *testing.T) {
	t.Setenv("REDIS_URL", "redis://127.0.0.1:6379")
	t.Setenv("MEMCACHED_URL", "nothing")
	if host, port, err := addressOf("redis"); err != nil || host != "127.0.0.1" || port != "6379" {
		t.Errorf("%s, %s, %v", host, port, err)
	}
	if _, _, err := addressOf("memcached"); err == nil || !strings.Contains(err.Error(), "MEMCACHED_URL must be host:port") {
		t.Errorf("error is %v", err)
	}
}

func TestTableOfRedisBenchmark(t *testing.T) {
	t.Parallel()
	const head = `"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"` + "\n"
	f, err := parseRedisBenchmark(head + `"GET","90909.09","0.361","0.072","0.367","0.455","0.543","1.231"` + "\n")
	if want := (figures{OpsPerSecond: 90909.09, P50Ms: .367, P99Ms: .543}); err != nil || f != want {
		t.Errorf("%+v, error %v, want %+v", f, err, want)
	}
	for _, bad := range []string{"", head, `"test","rps"` + "\n" + `"GET","1"`, head + `"GET","x","1","1","1","1","1","1"`} {
		if _, err := parseRedisBenchmark(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
