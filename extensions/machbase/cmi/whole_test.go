package cmi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// answered are the rows of an answer of numbers, behind which a result stands.
func answered(column string, result uint64, numbers ...byte) *Rows {
	var r request
	for _, n := range numbers {
		r.bytes(unitRow, []byte{0, 0, 0, 0, 0, 0, 0, n})
	}
	r.uint64(unitResult, result<<32)
	rows := &Rows{units: r.buf, more: true, open: true}
	rows.row.begin(layoutOf([]Column{{Name: column, Type: Long, width: 8}}))

	return rows
}

func TestRowsThatAreKnownAgain(t *testing.T) {
	var known Whole
	require.False(t, answered("n", resultLast, 1, 2).Repeats(&known), "the zero value knows none")

	first := answered("n", resultLast, 1, 2)
	first.Keep(&known)
	require.False(t, first.AtOnce(), "nothing was read yet")
	var numbers []int64
	for first.Next() {
		numbers = append(numbers, first.Int64(0))
	}
	require.Equal(t, []int64{1, 2}, numbers)
	require.True(t, first.AtOnce())

	again := answered("n", resultLast, 1, 2)
	require.True(t, again.Repeats(&known))
	require.True(t, again.AtOnce(), "they are read")
	require.False(t, again.Next())
	require.NoError(t, again.Err())
	require.False(t, again.more)

	for name, other := range map[string]*Rows{
		"another number": answered("n", resultLast, 1, 3),
		"a row more":     answered("n", resultLast, 1, 2, 2),
		"a row less":     answered("n", resultLast, 1),
		"more to fetch":  answered("n", resultOK, 1, 2),
		"another column": answered("m", resultLast, 1, 2),
	} {
		require.False(t, other.Repeats(&known), name)
		require.True(t, other.Next(), name)
	}

	begun := answered("n", resultLast, 1, 2)
	require.True(t, begun.Next())
	require.False(t, begun.Repeats(&known), "one of them was read")

	known.Forget()
	require.False(t, answered("n", resultLast, 1, 2).Repeats(&known))
}

func TestRowsThatAreNotKept(t *testing.T) {
	var known Whole
	answered("n", resultLast, 1).Keep(&known)
	answered("n", resultLast, make([]byte, mostWhole/8)...).Keep(&known)
	require.False(t, answered("n", resultLast, 1).Repeats(&known), "long ones take the place of what was known")
	require.LessOrEqual(t, cap(known.units), mostWhole)

	part := answered("n", resultOK, 1)
	require.True(t, part.Next())
	part.units = nil // as when what has come was read, and a result said that there is more
	require.False(t, part.AtOnce())
}
