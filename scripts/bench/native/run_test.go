package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func measured(elapsed time.Duration, latencies ...time.Duration) *client {
	c := &client{latency: hdrhistogram.New(1000, int64(time.Hour), 3), elapsed: elapsed}
	for _, d := range latencies {
		c.record(d, 60, nil)
	}
	return c
}

func TestSummaryCountsOnlySuccesses(t *testing.T) {
	one := measured(2*time.Second, time.Millisecond, time.Millisecond, 5*time.Millisecond)
	two := measured(4*time.Second, time.Millisecond, time.Millisecond)
	two.record(time.Microsecond, 7, errors.New("broken"))
	two.record(2*time.Hour, 7, nil) // too long for the histogram: a failure too

	r := summarize([]*client{one, two}, 4, 5*time.Second, usage{8 * time.Millisecond, 80})
	if r.Ops != 8 || r.Failed != 2 || r.OpsPerSecond != 6./5 || r.Rows != 300 || r.CPUMicrosPerOp != 1000 || r.AllocsPerOp != 10 {
		t.Errorf("result is %+v", r)
	}
	if r.minClient != 2*time.Second || r.maxClient != 4*time.Second || r.avgClient != 3*time.Second {
		t.Errorf("clients took %v, %v, %v", r.minClient, r.maxClient, r.avgClient)
	}
	if r.P50Ms < .999 || r.P50Ms > 1.001 || r.P99Ms < 4.995 || r.P99Ms > 5.005 {
		t.Errorf("percentiles are %v and %v", r.P50Ms, r.P99Ms)
	}
	if r.firstFailure.Error() != "broken" {
		t.Errorf("first failure is %v", r.firstFailure)
	}
}

func TestJSONIsOneLineOfTheKnownKeys(t *testing.T) {
	var out strings.Builder
	if err := (&result{Clients: 1}).print(&out, true); err != nil {
		t.Fatal(err)
	}
	var keys map[string]float64
	if err := json.Unmarshal([]byte(out.String()), &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields("clients ops failed seconds opsPerSecond p50Ms p99Ms cpuMicrosPerOp allocsPerOp rows") {
		if _, ok := keys[key]; !ok {
			t.Errorf("no %s in %s", key, &out)
		}
		delete(keys, key)
	}
	if len(keys) > 0 || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("more than wanted: %s", &out)
	}
}

func TestClientsStartTogether(t *testing.T) {
	clients := []*client{{}, {}, {}}
	ran := make(chan *client, len(clients))
	wall, _, err := together(clients, func(c *client) {
		time.Sleep(20 * time.Millisecond)
		ran <- c
	})
	if err != nil || wall < 20*time.Millisecond || len(ran) != len(clients) {
		t.Errorf("%d ran in %v, error %v", len(ran), wall, err)
	}
}
