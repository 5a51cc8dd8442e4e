package k6x

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
)

func TestClosing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		vu := &modulestest.VU{StateField: &lib.State{VUID: 1}}
		closing := NewClosing(vu)
		closed := map[string]int{}
		owners := map[string]*int{"kept": new(int), "again": new(int), "gone": new(int)}
		add := func(name string) { closing.Add(owners[name], func() { closed[name]++ }) }
		var first, second Session

		vu.CtxField = WithSession(t.Context(), &first)
		add("kept")
		add("gone")
		closing.Remove(owners["gone"])
		for range 3 {
			add("again")
		}
		require.Len(t, first.atEnd, 1, "what waits for the end does not pile up")
		first.End()
		require.Equal(t, map[string]int{"kept": 1, "again": 1}, closed)

		vu.CtxField = WithSession(t.Context(), &second)
		add("again")
		second.End()
		first.End()
		require.Equal(t, map[string]int{"kept": 1, "again": 2}, closed)
	})
}

// An end may call Remove.
func TestRemoveWhileClosing(t *testing.T) {
	var s Session
	vu := &modulestest.VU{CtxField: WithSession(t.Context(), &s), StateField: &lib.State{VUID: 1}}
	closing, owner, closed := NewClosing(vu), new(int), 0
	closing.Add(owner, func() {
		closing.Remove(owner)
		closed++
	})
	s.End()
	require.Equal(t, 1, closed)
}
