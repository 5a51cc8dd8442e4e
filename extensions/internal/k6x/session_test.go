package k6x

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
)

func TestSessionOf(t *testing.T) {
	vu := &modulestest.VU{CtxField: t.Context(), StateField: &lib.State{VUID: 1}}
	require.Nil(t, SessionOf(vu))
	s := &Session{Op: "get", Tags: map[string]string{"clients": "8"}}
	ctx, cancel := context.WithCancel(WithSession(t.Context(), s))
	defer cancel()
	vu.CtxField = ctx
	require.Same(t, s, SessionOf(vu), "seen by the contexts of iterations")
}

func TestJoin(t *testing.T) {
	vu := &modulestest.VU{CtxField: t.Context(), StateField: &lib.State{VUID: 1}}
	other := &modulestest.VU{CtxField: t.Context(), StateField: &lib.State{VUID: 2}}
	s := &Session{Op: "get"}
	leave := Join(vu, s)
	require.Same(t, s, SessionOf(vu))
	require.Nil(t, SessionOf(other))
	leave()
	require.Nil(t, SessionOf(vu))
}

func TestSessionOrder(t *testing.T) {
	var calls []string
	note := func(name string) func() { return func() { calls = append(calls, name) } }
	s := &Session{}
	s.AtEnd(note("end 1"))
	s.BeforeMeasure(note("measure 1"))
	s.BeforeMeasure(note("measure 2"))
	s.AtEnd(note("end 2"))
	require.Empty(t, calls)

	s.Measure()
	require.Equal(t, []string{"measure 1", "measure 2"}, calls, "in order")
	s.Measure()
	require.Len(t, calls, 2, "once only")

	s.AtEnd(note("end 3"))
	calls = nil
	s.End()
	require.Equal(t, []string{"end 3", "end 2", "end 1"}, calls, "last registered first: what was opened last is closed first")
	s.End()
	require.Len(t, calls, 3, "once only")
}

// A function may register others without a deadlock; they run the next time.
func TestSessionRegistersWhileCalled(t *testing.T) {
	s := &Session{}
	n := 0
	s.AtEnd(func() { s.AtEnd(func() { n++ }) })
	s.BeforeMeasure(func() { s.BeforeMeasure(func() { n++ }) })
	s.Measure()
	s.End()
	require.Zero(t, n)
	s.Measure()
	s.End()
	require.Equal(t, 2, n)
}
