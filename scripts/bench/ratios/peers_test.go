package main

import (
	"strings"
	"testing"
	"time"
)

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

// What a program takes to begin and connect is no operation's.
func TestStartIsNoOperations(t *testing.T) {
	t.Parallel()
	var asked []int
	out, micros, used, err := beyondStart(4, 100, func(perClient int) ([]byte, spending, error) {
		asked = append(asked, perClient)

		// 20 ms to begin, and 4 us for each operation of each client.
		return []byte("x"), spending{cpu: 20*time.Millisecond + time.Duration(4*(perClient-1))*4*time.Microsecond, memoryMB: float64(perClient)}, nil
	})
	if err != nil || string(out) != "x" || micros != 4 || used.memoryMB != 101 || len(asked) != 2 || asked[0] != 1 || asked[1] != 101 {
		t.Errorf("%q, %v us, %+v, error %v, asked %v", out, micros, used, err, asked)
	}
}
