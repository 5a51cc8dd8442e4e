package k6glue

import (
	"context"
	"sync"

	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/grpccalls"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Session is what the executor client-sweep and the modules of one VU share while the VU is a
// client of a step. It travels in the VU's context, as k6's own scenario state does.
type Session struct {
	Client *measure.Client
	Op     string // the name of an operation that nobody named
	// Named tells that Op is the name of an operation of sweep.op that is under way.
	Named bool
	// Step is the step that the client is of.
	Step StepInfo
	// OpNames are the names that sweep.op may give to operations; empty: any.
	OpNames []string
	// NoDuet says with what of the sweep's options a duet cannot go; empty: it can.
	NoDuet string
	// Tags are those by which the samples of the step are told from those of the others.
	Tags map[string]string
	// Tap sees the samples that the VU pushes; nil where only exceptions fail an operation.
	Tap *Tap
	// Cut is to be called when the VU's context has ended, before what was under way is counted;
	// nil where the executor knows by itself.
	Cut func()
	// Rest is to be called when the client has done its part. It returns once all clients have; nil
	// where the executor is one of k6's own, which has a next iteration for it.
	Rest func()

	mu            sync.Mutex
	beforeMeasure []func()
	atEnd         []func()
}

// StepInfo is what scripts are told of a step.
type StepInfo struct {
	Scenario string
	// Clients are those of all instances together.
	Clients int64
	// Rate is zero but for open-loop steps.
	Rate float64
	// Repeat counts from 1.
	Repeat int
	// Variant is the one that the step is of; empty where there are none.
	Variant string
	// Op names the operations that nobody named.
	Op string
}

type sessionKey struct{}

// WithSession returns a context that carries the session.
func WithSession(ctx context.Context, s *Session) context.Context {
	if s.Tap != nil {
		ctx = grpccalls.With(ctx, s.Tap)
	}

	return context.WithValue(ctx, sessionKey{}, s)
}

// joined holds the sessions of VUs that an executor of k6's own runs, whose contexts carry none.
var joined sync.Map //nolint:gochecknoglobals // *lib.State -> *Session; the state is all that a VU's modules share

// Join makes s the session of a VU that another executor than client-sweep runs, until leave is
// called.
func Join(vu modules.VU, s *Session) (leave func()) {
	state := vu.State()
	joined.Store(state, s)

	return func() { joined.Delete(state) }
}

// SessionOf returns the session of a VU, or nil when it is no client of a step.
func SessionOf(vu modules.VU) *Session {
	if s := SessionIn(vu.Context()); s != nil {
		return s
	}
	if s, ok := joined.Load(vu.State()); ok {
		return s.(*Session) //nolint:forcetypeassert // nothing else is ever stored
	}

	return nil
}

// SessionIn is the session of client-sweep that a VU's context belongs to; nil outside of one.
func SessionIn(ctx context.Context) *Session {
	s, _ := ctx.Value(sessionKey{}).(*Session)

	return s
}

// BeforeMeasure registers fn to be called when the warm-up is over, before the first measured
// operation.
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
