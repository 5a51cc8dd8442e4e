package k6x

import (
	"sync"
	"time"
)

// An operation that fills its tap waits for at most two checks of the guard. The interval grows
// with the number of clients, because a check visits each.
const (
	guardEvery = 25 * time.Millisecond
	guardEach  = 40 * time.Microsecond
)

// TapGuard unblocks operations that push more samples than their tap holds: it starts a goroutine
// that empties a full tap.
type TapGuard struct {
	mu   sync.Mutex
	taps map[*Tap]struct{}
	over chan struct{}
}

// Watch watches a tap until Forget.
func (g *TapGuard) Watch(t *Tap) {
	if t == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.taps) == 0 {
		g.taps, g.over = map[*Tap]struct{}{}, make(chan struct{})
		go g.watch(g.over)
	}
	g.taps[t] = struct{}{}
}

// Forget stops watching a tap.
func (g *TapGuard) Forget(t *Tap) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, watched := g.taps[t]; !watched {
		return
	}
	delete(g.taps, t)
	if len(g.taps) == 0 {
		close(g.over)
	}
}

// End forgets all taps after the VUs have stopped, and forwards their last samples.
func (g *TapGuard) End() {
	g.mu.Lock()
	taps := g.taps
	if g.taps = nil; len(taps) > 0 {
		close(g.over)
	}
	g.mu.Unlock()
	for t := range taps {
		t.Close()
	}
}

func (g *TapGuard) watch(over <-chan struct{}) {
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

// help starts pumps for taps that were full at two checks. It returns the time until the next
// check.
func (g *TapGuard) help() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	for t := range g.taps {
		before := t.full
		if t.full = len(t.in) == cap(t.in) && !t.pumped.Load(); t.full && before {
			t.startPump()
		}
	}

	return guardEvery + time.Duration(len(g.taps))*guardEach
}
