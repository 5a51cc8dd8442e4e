package measure

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClientWait(t *testing.T) {
	t.Parallel()
	s := NewStep(2, Plan{Operations: 10, Warmup: ms}, nil)
	var all sync.WaitGroup
	for i := range 2 {
		c, waits := s.Client(i), s.Waits(i)
		all.Go(func() {
			waits.Record(c, time.Hour)
			if err := c.Run(t.Context(), "get", nil, func() error {
				waits.Record(c, time.Duration(i+1)*time.Millisecond)

				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Same(t, s.Waits(1), s.Waits(1))
	r := s.Read()
	require.Equal(t, int64(20), r.ClientWait.Count)
	require.Equal(t, time.Millisecond, r.ClientWait.Min)
	require.Equal(t, 2*time.Millisecond, r.ClientWait.Max)
	require.Equal(t, 1500*time.Microsecond, r.ClientWait.Mean())

	r.Join(&r)
	require.Equal(t, int64(40), r.ClientWait.Count)
}
