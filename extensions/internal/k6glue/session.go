package k6glue

import (
	"context"
	"sync"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Session is what the executor client-sweep and the modules of one VU share while the VU is a client of a step. It
// travels in the VU's context, as k6's own scenario state does.
type Session struct {
	Client *measure.Client
	Op     string // the name of an operation that nobody named
	// Clients is the number of clients of the step, in all execution segments together.
	Clients int64

	mu            sync.Mutex
	beforeMeasure []func()
	atEnd         []func()
}

type sessionKey struct{}

// WithSession returns a context that carries the session.
func WithSession(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionOf returns the session that the context carries, or nil when the VU runs under another executor.
func SessionOf(ctx context.Context) *Session {
	s, _ := ctx.Value(sessionKey{}).(*Session)

	return s
}

// BeforeMeasure registers fn to be called when the warm-up is over, before the first measured operation.
func (s *Session) BeforeMeasure(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beforeMeasure = append(s.beforeMeasure, fn)
}

// AtEnd registers fn to be called when the client's step has ended, last registered first.
func (s *Session) AtEnd(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.atEnd = append(s.atEnd, fn)
}

// Measure calls what BeforeMeasure registered.
func (s *Session) Measure() {
	s.mu.Lock()
	fns := s.beforeMeasure
	s.beforeMeasure = nil
	s.mu.Unlock()

	for _, fn := range fns {
		fn()
	}
}

// End calls what AtEnd registered.
func (s *Session) End() {
	s.mu.Lock()
	fns := s.atEnd
	s.atEnd = nil
	s.mu.Unlock()

	for i := len(fns) - 1; i >= 0; i-- {
		fns[i]()
	}
}
