package measure

import (
	"context"
	"sync"
	"time"
)

// barrier blocks until all clients have arrived or left.
type barrier struct {
	mu       sync.Mutex
	missing  int
	open     chan struct{}
	openedAt time.Duration // valid once open is closed
	// openedOn is openedAt as wall clock time, for other machines.
	openedOn time.Time
	onOpen   func() // called before opening; may be nil
	onOpened func() // called after opening, before any client continues; may be nil
}

func newBarrier(n int) *barrier {
	return &barrier{missing: n, open: make(chan struct{})}
}

func (b *barrier) pass() {
	b.mu.Lock()
	defer b.mu.Unlock()

	if b.missing--; b.missing == 0 {
		if b.onOpen != nil {
			b.onOpen()
		}
		b.openedOn = time.Now().Round(0)
		b.openedAt = now()
		if b.onOpened != nil {
			b.onOpened()
		}
		close(b.open)
	}
}

// await arrives and waits for the others, or returns the context's cause.
func (b *barrier) await(ctx context.Context) error {
	b.pass()
	select {
	case <-b.open:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (b *barrier) isOpen() bool {
	select {
	case <-b.open:
		return true
	default:
		return false
	}
}
