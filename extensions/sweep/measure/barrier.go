package measure

import (
	"context"
	"sync"
	"time"
)

// barrier holds everybody back until all have arrived or said that they won't.
type barrier struct {
	mu       sync.Mutex
	missing  int
	open     chan struct{}
	openedAt time.Duration // readable once open is closed
	// openedOn is the same moment by the wall clock, which other machines have too.
	openedOn time.Time
	onOpen   func() // called just before; may be nil
	onOpened func() // called just after, before anybody goes on; may be nil
}

func newBarrier(n int) *barrier {
	return &barrier{missing: n, open: make(chan struct{})}
}

// pass counts one as arrived or, just as well, as gone.
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

// await arrives and waits for the others. It returns the context's cause when that ends first.
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
