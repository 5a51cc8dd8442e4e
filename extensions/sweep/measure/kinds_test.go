package measure

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// However many clients there are, their durations take the memory of as many as there are
// processors; and all are counted.
func TestClientsShareTheBuckets(t *testing.T) {
	const clients, operations = 64, 1000
	s := NewStep(clients, Plan{Operations: operations}, nil)
	var group sync.WaitGroup
	for i := range clients {
		c := s.Client(i)
		c.measuring = true
		group.Go(func() {
			r := c.Recorder("op")
			for n := range operations {
				r.Ok(time.Duration(n) * time.Millisecond)
				r.FailAfter(time.Duration(n)*time.Microsecond, nil)
			}
		})
	}
	group.Wait()
	r := s.Read()
	totals := r.Op("op")
	for name, d := range map[string]*Distribution{"ok": &totals.Durations, "failed": &totals.Failures} {
		require.EqualValues(t, clients*operations, d.Count, name)
	}
	require.Equal(t, 499*time.Millisecond, totals.Durations.Quantile(0.5).Truncate(time.Millisecond))
	require.Equal(t, 499*time.Microsecond, totals.Failures.Quantile(0.5).Truncate(time.Microsecond))
	require.Equal(t, 999*time.Millisecond, totals.Durations.Max)

	one, pages := newKind("op", false, 1), func(k *kind) (n int) {
		for i := range k.parts {
			k.parts[i].ok.pages(func(int, *page) { n++ })
		}

		return n
	}
	for n := range operations {
		one.of(0).ok.count(int64(n) * int64(time.Millisecond))
	}
	require.Len(t, s.allKinds(), 1)
	require.LessOrEqual(t, pages(s.allKinds()[0]), min(runtime.GOMAXPROCS(0), clients)*pages(one))
}

// Clients whose goroutines meet at a part do not stay together, whatever their indices are.
func TestClientsThatMeetPart(t *testing.T) {
	parts := runtime.GOMAXPROCS(0)
	s := NewStep(parts+1, Plan{Operations: 1}, nil)
	one, other := s.Client(0), s.Client(parts)
	for _, c := range []*Client{one, other} {
		c.measuring = true
	}
	first, second := one.Recorder("op"), other.Recorder("op")
	require.Same(t, first.of, second.of)
	var operations atomic.Int64
	limit := time.Now().Add(time.Minute)
	for first.of == second.of && parts > 1 && time.Now().Before(limit) {
		var group sync.WaitGroup
		var parted atomic.Bool
		for _, r := range []*Recorder{first, second} {
			group.Go(func() {
				defer parted.Store(true)
				for n, together := 0, r.of; n < 1_000_000 && r.of == together && !parted.Load(); n++ {
					r.Ok(time.Millisecond)
					operations.Add(1)
				}
			})
		}
		group.Wait()
	}
	require.True(t, parts == 1 || first.of != second.of)
	r := s.Read()
	require.Equal(t, operations.Load(), r.Op("op").Durations.Count)
}

// A duet's variants count apart.
func TestKindsOfADuet(t *testing.T) {
	s := NewStep(3, Plan{Operations: 1}, nil)
	base, change := s.kind("op", false), s.kind("op", true)
	require.NotSame(t, base, change)
	require.Same(t, base, s.kind("op", false))
	require.Same(t, base.of(0), base.of(len(base.parts)))
}
