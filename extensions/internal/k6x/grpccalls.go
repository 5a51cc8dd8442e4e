package k6x

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/grpccalls"
)

// TimedOut fails the current operation for a gRPC call that timed out. Samples report all other
// failed calls.
func (t *Tap) TimedOut(call grpccalls.Call) {
	err := errors.New("grpc: " + strings.TrimPrefix(call.Method, "/") + " answered DEADLINE_EXCEEDED")
	t.fault.CompareAndSwap(nil, &err)
}

// Waits remembers a gRPC call without a connection.
func (t *Tap) Waits(call grpccalls.Call) { t.calls.add(call) }

type waitingCalls struct {
	some  atomic.Bool
	mu    sync.Mutex
	calls []grpccalls.Call
}

func (w *waitingCalls) add(call grpccalls.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, call)
	w.some.Store(true)
}

func (w *waitingCalls) ended() (ended []grpccalls.Call) {
	if !w.some.Load() {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var waiting []grpccalls.Call
	for _, call := range w.calls {
		if call.Context.Err() == nil {
			waiting = append(waiting, call)
		} else {
			ended = append(ended, call)
		}
	}
	w.calls = waiting
	w.some.Store(len(waiting) > 0)

	return ended
}
