package k6x

import (
	"context"
	"reflect"
	"slices"
	"sync"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/grpccalls"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Session is what the client-sweep executor and a VU's modules share while the VU is a client of a
// step. The VU's context carries it, like k6's scenario state.
type Session struct {
	Client *measure.Client
	Op     string // the default operation name
	// Named is true while an operation of sweep.op runs, whose name is Op.
	Named bool
	// Step describes the client's step.
	Step StepInfo
	// OpNames restricts the names that sweep.op accepts; empty accepts any.
	OpNames []string
	// NoDuet names a sweep option that excludes a duet; may be empty.
	NoDuet string
	// Tags distinguish the samples of this step.
	Tags map[string]string
	// Tap sees the VU's samples; nil if only exceptions fail an operation.
	Tap *Tap
	// Cut must be called when the VU's context has ended, before the interrupted operation is
	// counted. It may be nil.
	Cut func()
	// Rest waits until all clients have done their part. It is nil under k6's own executors.
	Rest func()

	mu            sync.Mutex
	beforeMeasure []func()
	atEnd         []func()
}

// StepInfo is what scripts can read about a step.
type StepInfo struct {
	Scenario string
	// Clients is the total over all instances.
	Clients int64
	// Rate is zero in closed-loop steps.
	Rate float64
	// Repeat starts at 1.
	Repeat int
	// Variant is empty in a sweep without variants.
	Variant string
	// Op is the default operation name.
	Op string
}

type sessionKey struct{}

// WithSession returns a context with the session.
func WithSession(ctx context.Context, s *Session) context.Context {
	if s.Tap != nil {
		ctx = grpccalls.With(ctx, s.Tap)
	}

	return context.WithValue(ctx, sessionKey{}, s)
}

// joined holds the sessions of VUs under k6's own executors, whose contexts carry none.
var joined sync.Map //nolint:gochecknoglobals // *lib.State -> *Session; the state is all that a VU's modules share

// Join sets the session of a VU under an executor other than client-sweep, until leave is called.
func Join(vu modules.VU, s *Session) (leave func()) {
	state := vu.State()
	joined.Store(state, s)

	return func() { joined.Delete(state) }
}

// SessionOf returns a VU's session, or nil if it is not a client of a step.
func SessionOf(vu modules.VU) *Session {
	if s := SessionIn(vu.Context()); s != nil {
		return s
	}
	if s, ok := joined.Load(vu.State()); ok {
		return s.(*Session) //nolint:forcetypeassert // nothing else is ever stored
	}

	return nil
}

// SessionIn returns the context's session, or nil.
func SessionIn(ctx context.Context) *Session {
	s, _ := ctx.Value(sessionKey{}).(*Session)

	return s
}

// BeforeMeasure registers fn to run after the warm-up, before the first measured operation.
func (s *Session) BeforeMeasure(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beforeMeasure = append(s.beforeMeasure, fn)
}

// AtEnd registers fn to run at the end of the client's step, last registered first.
func (s *Session) AtEnd(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.atEnd = append(s.atEnd, fn)
}

// Measure runs the functions of BeforeMeasure.
func (s *Session) Measure() {
	for _, fn := range s.take(&s.beforeMeasure) {
		fn()
	}
}

// End runs the functions of AtEnd.
func (s *Session) End() {
	for _, fn := range slices.Backward(s.take(&s.atEnd)) {
		fn()
	}
}

func (s *Session) take(registered *[]func()) []func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	fns := *registered
	*registered = nil

	return fns
}

// VUState returns the state of a VU, even if its script uses none of our modules. It returns nil if
// this version of k6 stores it elsewhere.
func VUState(vu lib.InitializedVU) *lib.State {
	if owner, is := vu.(interface{ State() *lib.State }); is {
		return owner.State()
	}
	value := reflect.ValueOf(vu)
	if value.Kind() != reflect.Pointer || value.Elem().Kind() != reflect.Struct {
		return nil
	}
	field := value.Elem().FieldByName("state")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*lib.State]() {
		return nil
	}

	return (*lib.State)(field.UnsafePointer())
}
