package main

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// run connects all clients, warms them up and measures them.
func run(s settings) (*result, error) {
	clients, err := connectAll(s)
	defer func() {
		for _, c := range clients {
			_ = c.close() // nothing is measured any more
		}
	}()
	if err != nil {
		return nil, err
	}
	if s.warmup > 0 {
		if _, _, err := together(clients, func(c *client) { c.warmUp(s.warmup) }); err != nil {
			return nil, err
		}
	}
	wall, spent, err := together(clients, func(c *client) { c.measure(s.ops) })
	if err != nil {
		return nil, err
	}
	return summarize(clients, s.ops, wall, spent), nil
}

// connectAll connects one after another: a listen queue that overflows would
// show as a slow or failed start.
func connectAll(s settings) ([]*client, error) {
	clients := make([]*client, 0, s.clients)
	for i := range s.clients {
		c, err := connect(s, i)
		if err != nil {
			return clients, fmt.Errorf("client %d cannot connect to %s:%d: %w", i+1, s.host, s.port, err)
		}
		clients = append(clients, c)
	}
	return clients, nil
}

// together starts work for all clients at one moment and waits for all. It
// returns the time from the start line to the last one's end, and what the
// process has used meanwhile.
func together(clients []*client, work func(*client)) (wall time.Duration, spent usage, err error) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for _, c := range clients {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			work(c)
		})
	}
	ready.Wait()
	before, errBefore := used()
	began := time.Now()
	close(start)
	done.Wait()
	wall = time.Since(began)
	after, errAfter := used()
	return wall, after.since(before), errors.Join(errBefore, errAfter)
}

func summarize(clients []*client, opsPerClient int, wall time.Duration, spent usage) *result {
	latency := hdrhistogram.New(1000, int64(time.Hour), 3)
	r := &result{Clients: len(clients), Ops: len(clients) * opsPerClient, Seconds: wall.Seconds()}
	var sum time.Duration
	r.minClient = clients[0].elapsed
	for _, c := range clients {
		latency.Merge(c.latency)
		r.Rows += c.rows
		r.Failed += c.failed
		if r.firstFailure == nil {
			r.firstFailure = c.firstFailure
		}
		sum += c.elapsed
		r.minClient = min(r.minClient, c.elapsed)
		r.maxClient = max(r.maxClient, c.elapsed)
	}
	r.avgClient = sum / time.Duration(len(clients))
	r.OpsPerSecond = float64(r.Ops-r.Failed) / r.Seconds
	r.P50Ms = milliseconds(latency.ValueAtQuantile(50))
	r.P99Ms = milliseconds(latency.ValueAtQuantile(99))
	r.CPUMicrosPerOp = float64(spent.cpu.Nanoseconds()) / 1e3 / float64(r.Ops)
	r.AllocsPerOp = float64(spent.allocations) / float64(r.Ops)
	return r
}

func milliseconds(nanoseconds int64) float64 { return float64(nanoseconds) / 1e6 }
