package k6glue

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSessionOf(t *testing.T) {
	require.Nil(t, SessionOf(t.Context()))
	s := &Session{Op: "get", Clients: 8}
	ctx, cancel := context.WithCancel(WithSession(t.Context(), s))
	defer cancel()
	require.Same(t, s, SessionOf(ctx), "seen by the contexts of iterations")
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

// What is called may register more, without a deadlock: it is called the next time.
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
