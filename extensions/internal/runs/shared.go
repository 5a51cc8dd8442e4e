package runs

import (
	"sync/atomic"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

// Shared is the state that all clients of a module share. The zero value is ready to use.
type Shared struct {
	loops  eventloop.Loops
	logged atomic.Bool
}

// Seat returns a new seat at the module's event loops.
func (s *Shared) Seat() *eventloop.Seat { return s.loops.Seat() }
