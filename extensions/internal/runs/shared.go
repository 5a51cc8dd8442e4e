package runs

import (
	"context"
	"sync"
	"sync/atomic"

	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

// Shared is what all clients of a module have in common. The zero value is ready.
type Shared struct {
	loops eventloop.Loops
	// known: the loops are told of the clients that the test has at work.
	known sync.Once
	// told is that the log has told of a run outside of sweeps that operations failed.
	told atomic.Bool
}

// Seat returns a client's seat at the event loops of the module.
func (s *Shared) Seat() *eventloop.Seat { return s.loops.Seat() }

// know lets the loops know how many VUs of the test are at work.
func (s *Shared) know(ctx context.Context) {
	s.known.Do(func() {
		if state := lib.GetExecutionState(ctx); state != nil {
			s.loops.Active = func() int { return int(state.GetCurrentlyActiveVUsCount()) }
		}
	})
}
