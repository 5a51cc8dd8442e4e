package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
)

type client struct {
	operation func() error
	close     func() error
}

type plainWork struct {
	address string
	connect func(address string, number int) (client, error)
}

var plainWorks = map[string]plainWork{ //nolint:gochecknoglobals // a constant
	"memcached":       {"MEMCACHED_URL", connectMemcached},
	"redis":           {"REDIS_URL", connectRedis},
	"machbase":        {"MACHBASE_URL", connectMachbase},
	"nats-request":    {"NATS_URL", connectNATS(request)},
	"nats-get":        {"NATS_URL", connectNATS(get)},
	"nats-put":        {"NATS_URL", connectNATS(put)},
	"nats-publish":    {"NATS_URL", connectNATS(publish)},
	"postgres-select": {"POSTGRES_URL", connectPostgres(selectRow)},
	"postgres-insert": {"POSTGRES_URL", connectPostgres(insertRow)},
	"empty":           {"", connectEmpty},
}

// doPlainWork does a work with common Go client libraries, without k6: a goroutine and a connection
// per client, latencies in a histogram. It prints the figures after the warm-up as JSON.
func doPlainWork(args []string) error {
	names := strings.Join(slices.Sorted(maps.Keys(plainWorks)), ", ")
	flags := flag.NewFlagSet("bench plain", flag.ContinueOnError)
	name := flags.String("work", "", "the work: "+names)
	clients := flags.Int("clients", 1, "number of clients")
	warmup := flags.Duration("warmup", time.Second, "time before the measured one")
	duration := flags.Duration("duration", 4*time.Second, "measured time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	w, known := plainWorks[*name]
	if !known || *clients < 1 || *duration <= 0 {
		return errors.New("-work must be one of " + names + ", -clients at least 1, -duration more than 0")
	}
	f, err := w.run(*clients, *warmup, *duration)
	if err != nil {
		return fmt.Errorf("%s: %w", *name, err)
	}

	return json.NewEncoder(os.Stdout).Encode(f)
}

// run lets n clients work. A failed operation ends it.
func (w plainWork) run(n int, warmup, duration time.Duration) (r figures, err error) {
	address := os.Getenv(w.address)
	if w.address != "" && address == "" {
		return r, errors.New(w.address + " must be set")
	}
	clients := make([]client, 0, n)
	defer func() {
		for _, c := range clients {
			err = errors.Join(err, c.close())
		}
	}()
	for i := range n {
		c, err := w.connect(address, i)
		if err != nil {
			return r, fmt.Errorf("client %d: %w", i+1, err)
		}
		clients = append(clients, c)
	}
	if _, err := together(clients, warmup); err != nil {
		return r, err
	}
	runtime.GC()
	target := address
	if !strings.Contains(target, "://") {
		target = "tcp://" + target
	}
	server := host.FindServer(target)
	cpuBefore, serverBefore := ownTime(), serverTime(server)
	began := time.Now()
	latency, err := together(clients, duration)
	if err != nil {
		return r, err
	}
	wall, operations := time.Since(began), float64(latency.TotalCount())
	perOperation := func(d time.Duration) float64 { return d.Seconds() * 1e6 / operations }

	return figures{
		Rate:   operations / wall.Seconds(),
		CPU:    perOperation(ownTime() - cpuBefore),
		Server: perOperation(serverTime(server) - serverBefore),
		P50:    float64(latency.ValueAtQuantile(50)) / 1e6,
		P99:    float64(latency.ValueAtQuantile(99)) / 1e6,
	}, nil
}

func together(clients []client, duration time.Duration) (*hdrhistogram.Histogram, error) {
	const shortest, longest, digits = 1, int64(time.Hour), 3
	all := hdrhistogram.New(shortest, longest, digits)
	histograms := make([]*hdrhistogram.Histogram, len(clients))
	failures := make([]error, len(clients))
	start := make(chan time.Time)
	var done sync.WaitGroup
	for i, c := range clients {
		histograms[i] = hdrhistogram.New(shortest, longest, digits)
		done.Go(func() {
			end := (<-start).Add(duration)
			for last := time.Now(); last.Before(end); {
				err := c.operation()
				now := time.Now()
				if err == nil {
					err = histograms[i].RecordValue(max(int64(now.Sub(last)), shortest))
				}
				if err != nil {
					failures[i] = err

					return
				}
				last = now
			}
		})
	}
	began := time.Now()
	for range clients {
		start <- began
	}
	done.Wait()
	for _, h := range histograms {
		all.Merge(h)
	}

	return all, errors.Join(failures...)
}

func ownTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}

	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func serverTime(s *host.Server) time.Duration {
	if s == nil {
		return 0
	}
	d, _ := s.CPUTime()

	return d
}
