package workload

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// EvictionsServer is a connection to a cache server.
type EvictionsServer interface {
	// Read returns how many keys the server has evicted since it started, and how many more
	// connections it accepts; below 0 if unknown.
	Read() (evicted uint64, free int, err error)
	Close()
}

// Statistics are a server's numeric statistics by name.
type Statistics map[string]uint64

// Add adds a statistic, if its value is a number.
func (s Statistics) Add(name, value string) {
	if n, err := strconv.ParseUint(value, 10, 64); err == nil {
		s[name] = n
	}
}

// Free returns how many more connections the server accepts, from the names of its limit and its
// current count; below 0 if unknown.
func (s Statistics) Free(most, current string) int {
	n, known := s[most]
	if !known {
		return -1
	}

	return int(n - min(s[current], n))
}

// Evictions records in reports how many keys caches evict during a step. It polls each server over
// its own connection, opened after all clients of the step have connected.
type Evictions struct {
	mu    sync.Mutex
	steps map[string]*measure.Step // the last step, by the server's address
}

// errFull keeps the server's last connection free for clients.
var errFull = errors.New("the server has no connection to spare")

// pollEvery is how often Watch checks for the end of the step.
const pollEvery = 50 * time.Millisecond

// Watch records evictions until the step ends. Only the first call per step and server does so. If
// the server cannot be polled, Watch logs why.
func (w *Evictions) Watch(
	step *measure.Step, address string, log logrus.FieldLogger, connect func(context.Context) (EvictionsServer, error),
) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.steps[address] == step {
		return
	}
	if w.steps == nil {
		w.steps = map[string]*measure.Step{}
	}
	w.steps[address] = step
	go func() {
		if err := watch(step, address, connect); err != nil {
			log.Infof("evictions of %s are not recorded: %s", address, err)
		}
	}()
}

func watch(step *measure.Step, address string, connect func(context.Context) (EvictionsServer, error)) error {
	clock := time.NewTicker(pollEvery)
	defer clock.Stop()
	for !step.Started() {
		if step.Over() {
			return nil
		}
		<-clock.C
	}
	ctx, cancel := context.WithTimeout(context.Background(), measure.EvictionsEvery)
	defer cancel()
	server, err := connect(ctx)
	if err != nil {
		return err
	}
	defer server.Close()
	before, free, err := server.Read()
	if err == nil && free == 0 {
		err = errFull
	}
	for next := time.Now().Add(measure.EvictionsEvery); err == nil; next = next.Add(measure.EvictionsEvery) {
		for time.Now().Before(next) && !step.Over() {
			<-clock.C
		}
		over := step.Over()
		var now uint64
		if now, _, err = server.Read(); err == nil && now > before { // fewer after a restart of the server
			measure.TellEvent(measure.EventEvictions, address+" evicted a key", now-before)
		}
		before = now
		if over {
			return nil
		}
	}

	return err
}
