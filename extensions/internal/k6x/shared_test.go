package k6x

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShared(t *testing.T) {
	var all Shared[string, *int]
	opened, ended := 0, []*int{}
	open := func() (*int, error) { opened++; return new(int), nil }
	end := func(one *int) { ended = append(ended, one) }

	a, err := all.Join("a", open)
	require.NoError(t, err)
	again, err := all.Join("a", open)
	require.NoError(t, err)
	require.Same(t, a, again)
	b, err := all.Join("b", open)
	require.NoError(t, err)
	require.NotSame(t, a, b)
	require.Equal(t, 2, opened)

	all.Leave("a", end)
	require.Empty(t, ended)
	all.Leave("a", end)
	require.Len(t, ended, 1)
	require.Same(t, a, ended[0])
	renewed, err := all.Join("a", open)
	require.NoError(t, err)
	require.NotSame(t, a, renewed, "what was ended is used by nobody any more")
}

// After a failed open, the next client tries again.
func TestSharedOpenFails(t *testing.T) {
	var all Shared[int, string]
	_, err := all.Join(1, func() (string, error) { return "", errors.New("no") })
	require.EqualError(t, err, "no")
	value, err := all.Join(1, func() (string, error) { return "yes", nil })
	require.NoError(t, err)
	require.Equal(t, "yes", value)
	ended := 0
	all.Leave(1, func(string) { ended++ })
	require.Equal(t, 1, ended)
}

// A value is ended only after its last use, and all values are ended.
func TestSharedByManyAtOnce(t *testing.T) {
	var all Shared[int, *atomic.Bool]
	var open atomic.Int64
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 1000 {
				one, _ := all.Join(0, func() (*atomic.Bool, error) { open.Add(1); return new(atomic.Bool), nil })
				if one.Load() {
					t.Error("it was ended")
				}
				all.Leave(0, func(one *atomic.Bool) { one.Store(true); open.Add(-1) })
			}
		})
	}
	wait.Wait()
	require.Zero(t, open.Load())
}
