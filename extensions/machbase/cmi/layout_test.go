package cmi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLayoutsAreShared(t *testing.T) {
	before := layouts.Load()
	defer layouts.Store(before)
	layouts.Store(nil)
	columns := func(name string) []Column {
		return []Column{{Name: name, Type: Varchar, width: variable}, {Name: "n", Type: Long, width: 8}}
	}

	first := layoutOf(columns("a"))
	require.Equal(t, []span{{0, 0}, {1, 0}}, first.spans)
	require.Equal(t, []int{0}, first.texts)
	require.Equal(t, 8, first.tail)
	require.Same(t, first, layoutOf(columns("a")))
	require.NotSame(t, first, layoutOf(columns("b")), "the name is another one")
	require.Same(t, layoutOf(nil), layoutOf([]Column{}))

	for i := range 2 * mostLayouts {
		columns := columns(string(rune('A' + i)))
		require.Equal(t, columns, layoutOf(columns).columns)
	}
	require.Len(t, *layouts.Load(), mostLayouts)
	require.Same(t, first, layoutOf(columns("a")))
}
