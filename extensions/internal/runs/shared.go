package runs

import (
	"sync/atomic"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

// Shared is what all clients of a module have in common. The zero value is ready.
type Shared struct {
	loops eventloop.Loops
	// told is that the log has told of a run outside of sweeps that operations failed.
	told atomic.Bool
}

// Seat returns a client's seat at the event loops of the module.
func (s *Shared) Seat() *eventloop.Seat { return s.loops.Seat() }
