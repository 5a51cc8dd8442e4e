package runs

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// Shared is what all clients of a module have in common. The zero value is ready.
type Shared struct {
	// Far tells whether nothing in this process has a part in the answers of the module's servers,
	// so that its loops may hold processors while they wait. A service of a NATS subject, of which
	// the clients may be in the same process, has one. nil: something may have.
	Far func() bool

	loops eventloop.Loops
	// held is the client of a step for which k6 is held at one processor; nil: it is not.
	held atomic.Pointer[k6glue.Session]
	// known: the loops are told of the clients that the test has at work.
	known sync.Once
	// told is that the log has told of a run outside of sweeps that operations failed.
	told atomic.Bool
}

// Elsewhere is Far of servers that are never in this process.
func Elsewhere() bool { return true }

// Seat returns a client's seat at the event loops of the module.
func (s *Shared) Seat() *eventloop.Seat { return s.loops.Seat() }

// know lets the loops know how many VUs of the test are at work, where they may hold processors.
func (s *Shared) know(ctx context.Context) {
	if s.Far == nil {
		return
	}
	s.known.Do(func() {
		if state := lib.GetExecutionState(ctx); state != nil {
			s.loops.Active = func() int {
				if !s.Far() {
					return math.MaxInt // whoever answers is at no loop
				}

				return int(state.GetCurrentlyActiveVUsCount())
			}
		}
	})
}
