package crew

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

func measured(elapsed time.Duration, latencies ...time.Duration) *client {
	c := newClient(nil)
	c.elapsed = elapsed
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
	if err := (&Result{Clients: 1}).Print(&out, true); err != nil {
		t.Fatal(err)
	}
	var keys map[string]float64
	if err := json.Unmarshal([]byte(out.String()), &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields("clients ops failed seconds opsPerSecond p50Ms p99Ms cpuMicrosPerOp allocsPerOp rows clientSpread") {
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

// steps is work that fails in its second operation.
type steps struct {
	done, ended int
	closed      chan<- int
}

func (w *steps) Operation() (int64, error) {
	if w.done++; w.done == 2 {
		return 7, errors.New("broken")
	}
	return 7, nil
}

func (w *steps) End() error   { w.ended++; return nil }
func (w *steps) Close() error { w.closed <- w.done; return nil }

func TestAllOperationsAreDone(t *testing.T) {
	closed := make(chan int, 3)
	r, err := Run(3, 4, 0, func(int) (Work, error) { return &steps{closed: closed}, nil })
	if err != nil || r.Clients != 3 || r.Ops != 12 || r.Failed != 3 || r.Rows != 63 {
		t.Fatalf("result is %+v, error %v", r, err)
	}
	if err := r.Err(); err == nil || err.Error() != "3 of 12 operations failed, the first one: broken" {
		t.Errorf("error is %v", err)
	}
	for range 3 {
		if done := <-closed; done != 4 {
			t.Errorf("%d operations, want 4", done)
		}
	}
}

// bare is work that times itself.
type bare struct {
	steps

	err error
}

func (w *bare) Operations(n int) error {
	w.done += n
	return w.err
}

func TestWorkThatTimesItself(t *testing.T) {
	closed := make(chan int, 2)
	broken := errors.New("broken")
	r, err := Run(2, 4, 0, func(number int) (Work, error) {
		return &bare{steps{closed: closed}, []error{nil, broken}[number]}, nil
	})
	if err != nil || r.Ops != 8 || r.Failed != 4 || !errors.Is(r.firstFailure, broken) || r.P99Ms != 0 || r.minClient <= 0 {
		t.Fatalf("result is %+v, error %v", r, err)
	}
	for range 2 {
		if done := <-closed; done != 4 {
			t.Errorf("%d operations, want 4", done)
		}
	}
}

func TestWarmUpIsForgotten(t *testing.T) {
	closed := make(chan int, 1)
	r, err := Run(1, 1, 10*time.Millisecond, func(int) (Work, error) { return &steps{done: 2, closed: closed}, nil })
	if err != nil || r.Ops != 1 || r.Failed != 0 || r.Rows != 7 {
		t.Fatalf("result is %+v, error %v", r, err)
	}
	if done := <-closed; done < 2+2 {
		t.Errorf("no operation of the warm-up in %d", done)
	}
}

func TestWhoCannotConnectIsNamedAndTheOthersAreClosed(t *testing.T) {
	closed := make(chan int, 1)
	_, err := Run(3, 1, 0, func(number int) (Work, error) {
		if number == 1 {
			return nil, errors.New("no such server")
		}
		return &steps{closed: closed}, nil
	})
	if err == nil || err.Error() != "client 2: no such server" || len(closed) != 1 {
		t.Errorf("error is %v, %d closed", err, len(closed))
	}
}
