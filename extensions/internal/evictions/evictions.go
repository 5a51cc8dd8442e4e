// Package evictions marks in reports how many keys a cache evicts while a step is measured. It
// looks at the server once in happened.EvictionsEvery, over a connection of its own, which is made
// when all clients of the step are connected: what a server has too few of is refused to it.
package evictions

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/happened"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Server is a connection to a cache.
type Server interface {
	// Read returns how many keys the server has evicted since it started, and how many connections
	// it still takes; below zero where it does not tell.
	Read() (evicted uint64, free int, err error)
	Close()
}

// Statistics are the numbers of what a server tells of itself, by their names.
type Statistics map[string]uint64

// Add takes a value, if that is a number.
func (s Statistics) Add(name, value string) {
	if n, err := strconv.ParseUint(value, 10, 64); err == nil {
		s[name] = n
	}
}

// Free is how many connections the server still takes, by the names of the most and of those that
// there are; below zero where it does not tell.
func (s Statistics) Free(most, current string) int {
	n, told := s[most]
	if !told {
		return -1
	}

	return int(n - min(s[current], n))
}

// Watched are the servers that a step is looking at.
type Watched struct {
	mu    sync.Mutex
	steps map[string]*measure.Step // the last one, by the server's address
}

// errFull is why the last connection that a server takes is left to the clients.
var errFull = errors.New("the server takes no more connections than the clients may need")

// lookAround is how long it takes at most until it is seen that the step is over.
const lookAround = 50 * time.Millisecond

// Watch marks what a server evicts until the step is over. It does nothing where somebody watches
// that server already. Where there is no connection to be had, or the server does not tell, the log
// says so and there are no marks.
func (w *Watched) Watch(step *measure.Step, address string, log logrus.FieldLogger, connect func(context.Context) (Server, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.steps[address] == step {
		return
	}
	if w.steps == nil {
		w.steps = map[string]*measure.Step{}
	}
	w.steps[address] = step
	crash.Go("what looks at evictions", func() {
		if err := watch(step, address, connect); err != nil {
			log.Infof("evictions of %s are not marked: %s", address, err)
		}
	})
}

func watch(step *measure.Step, address string, connect func(context.Context) (Server, error)) error {
	clock := time.NewTicker(lookAround)
	defer clock.Stop()
	for !step.Started() {
		if step.Over() {
			return nil
		}
		<-clock.C
	}
	ctx, cancel := context.WithTimeout(context.Background(), happened.EvictionsEvery)
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
	for next := time.Now().Add(happened.EvictionsEvery); err == nil; next = next.Add(happened.EvictionsEvery) {
		for time.Now().Before(next) && !step.Over() {
			<-clock.C
		}
		over := step.Over()
		var now uint64
		if now, _, err = server.Read(); err == nil && now > before { // less: the server was started again
			happened.Tell(happened.Evictions, address+" evicted a key", now-before)
		}
		before = now
		if over {
			return nil
		}
	}

	return err
}
