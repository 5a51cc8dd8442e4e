package crew

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Work is what one client does again and again, on a connection of its own.
type Work interface {
	// Operation is done once, and tells how many rows (of a cache: values) it came to.
	Operation() (rows int64, err error)
	// End is what belongs to the last operation.
	End() error
	// Close gives up what the client has.
	Close() error
}

// Bare is Work that does and times its measured operations itself: the result has no latencies of
// them.
type Bare interface {
	// Operations does n of them. Where one fails, all have.
	Operations(n int) error
}

// Run lets so many clients, each of which connects for itself, warm up for a while, if at all, and
// then do so many operations each. It fails with the error of a client that cannot connect, or when
// this process's use of the processor is not known; operations that fail are in the result.
func Run(number, operations int, warmup time.Duration, connect func(number int) (Work, error)) (*Result, error) {
	clients, err := connectAll(number, connect)
	defer func() {
		for _, c := range clients {
			_ = c.work.Close() // nothing is measured any more
		}
	}()
	if err != nil {
		return nil, err
	}
	if warmup > 0 {
		if _, _, err := together(clients, func(c *client) { c.warmUp(warmup) }); err != nil {
			return nil, err
		}
	}
	wall, spent, err := together(clients, func(c *client) { c.measure(operations) })
	if err != nil {
		return nil, err
	}
	return summarize(clients, operations, wall, spent), nil
}

// connectAll connects one after another: a listen queue that overflows would
// show as a slow or failed start.
func connectAll(number int, connect func(number int) (Work, error)) ([]*client, error) {
	clients := make([]*client, 0, number)
	for i := range number {
		work, err := connect(i)
		if err != nil {
			return clients, fmt.Errorf("client %d: %w", i+1, err)
		}
		clients = append(clients, newClient(work))
	}
	return clients, nil
}

// together collects garbage, starts work for all clients at one moment and waits for all. It
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
	runtime.GC() // as k6 does before each measured phase
	before, errBefore := used()
	began := time.Now()
	close(start)
	done.Wait()
	wall = time.Since(began)
	after, errAfter := used()
	return wall, after.since(before), errors.Join(errBefore, errAfter)
}

func summarize(clients []*client, opsPerClient int, wall time.Duration, spent usage) *Result {
	latency := hdrhistogram.New(shortest, longest, digits)
	r := &Result{Clients: len(clients), Ops: len(clients) * opsPerClient, Seconds: wall.Seconds()}
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
	r.ClientSpread = r.minClient.Seconds() / r.maxClient.Seconds()
	r.avgClient = sum / time.Duration(len(clients))
	r.OpsPerSecond = float64(r.Ops-r.Failed) / r.Seconds
	r.P50Ms = milliseconds(latency.ValueAtQuantile(50))
	r.P99Ms = milliseconds(latency.ValueAtQuantile(99))
	r.CPUMicrosPerOp = float64(spent.cpu.Nanoseconds()) / 1e3 / float64(r.Ops)
	r.AllocsPerOp = float64(spent.allocations) / float64(r.Ops)
	return r
}

func milliseconds(nanoseconds int64) float64 { return float64(nanoseconds) / 1e6 }
