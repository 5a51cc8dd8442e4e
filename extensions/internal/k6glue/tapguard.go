package k6glue

import (
	"sync"
	"time"
)

// guardEvery is how long an operation that fills its tap waits for help, at most; once in its client's part of a step.
const guardEvery = 10 * time.Millisecond

// TapGuard keeps operations from waiting for ever that push more samples than their tap holds: it gives a full tap a
// goroutine that empties it.
type TapGuard struct {
	mu   sync.Mutex
	taps map[*Tap]bool // whether it was full a moment ago
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
		g.taps = map[*Tap]bool{}
		g.over = make(chan struct{})
		go g.watch(g.over)
	}
	g.taps[t] = false
}

// Forget watches a tap no longer.
func (g *TapGuard) Forget(t *Tap) {
	if t == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.taps[t]; !known {
		return
	}
	delete(g.taps, t)
	if len(g.taps) == 0 {
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
	g.mu.Unlock()
	for t := range taps {
		t.Close()
	}
}

func (g *TapGuard) watch(over <-chan struct{}) {
	ticker := time.NewTicker(guardEvery)
	defer ticker.Stop()
	for {
		select {
		case <-over:
			return
		case <-ticker.C:
			g.help()
		}
	}
}

// help starts to empty the taps that have been full for a while.
func (g *TapGuard) help() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for t, before := range g.taps {
		full := len(t.in) == cap(t.in) && !t.pumped.Load()
		if g.taps[t] = full; full && before {
			t.startPump()
			g.taps[t] = false
		}
	}
}
