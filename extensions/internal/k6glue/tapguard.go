package k6glue

import (
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// An operation that fills its tap waits for help for two glances of the guard at most, once in its
// client's part of a step. The guard takes a glance every guardEvery and, as each costs the more
// the more clients there are, guardEach more for each of them.
const (
	guardEvery = 25 * time.Millisecond
	guardEach  = 40 * time.Microsecond
)

// TapGuard keeps operations from waiting for ever that push more samples than their tap holds: it
// gives a full tap a goroutine that empties it.
type TapGuard struct {
	mu   sync.Mutex
	taps []*Tap
	over chan struct{} // closed when no tap is left
}

// Watch watches a tap until Forget.
func (g *TapGuard) Watch(t *Tap) {
	if t == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.taps) == 0 {
		g.over = make(chan struct{})
		go g.watch(g.over)
	}
	g.taps = append(g.taps, t)
	t.place = len(g.taps)
}

// Forget watches a tap no longer.
func (g *TapGuard) Forget(t *Tap) {
	if t == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.place == 0 {
		return
	}
	last := len(g.taps) - 1
	g.taps[last].place = t.place
	g.taps[t.place-1] = g.taps[last]
	g.taps[last] = nil
	g.taps = g.taps[:last]
	if t.place = 0; last == 0 {
		close(g.over)
	}
}

// End forgets all taps, once no VU runs any more, and hands on what is left in them.
func (g *TapGuard) End() {
	g.mu.Lock()
	taps := g.taps
	if g.taps = nil; len(taps) > 0 {
		close(g.over)
	}
	for _, t := range taps {
		t.place = 0
	}
	g.mu.Unlock()
	for _, t := range taps {
		t.Close()
	}
}

func (g *TapGuard) watch(over <-chan struct{}) {
	defer crash.Contain("the guard of taps")
	timer := time.NewTimer(guardEvery)
	defer timer.Stop()
	for {
		select {
		case <-over:
			return
		case <-timer.C:
			timer.Reset(g.help())
		}
	}
}

// help starts to empty the taps that have been full since the last glance. It returns when to take
// the next one.
func (g *TapGuard) help() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, t := range g.taps {
		before := t.full
		if t.full = len(t.in) == cap(t.in) && !t.pumped.Load(); t.full && before {
			t.startPump()
		}
	}

	return guardEvery + time.Duration(len(g.taps))*guardEach
}
