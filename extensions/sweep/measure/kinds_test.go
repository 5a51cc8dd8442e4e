package measure

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Memory for durations depends on the number of processors, not of clients.
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
				r.FailAfter(time.Duration(n)*time.Microsecond, errServer)
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

func TestKindsOfADuet(t *testing.T) {
	s := NewStep(3, Plan{Operations: 1}, nil)
	base, change := s.kind("op", false), s.kind("op", true)
	require.NotSame(t, base, change)
	require.Same(t, base, s.kind("op", false))
	require.Same(t, base.of(0), base.of(len(base.parts)))
}
