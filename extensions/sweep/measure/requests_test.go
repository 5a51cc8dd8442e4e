package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Requests before the measured phase do not count, nor do operations without requests.
func TestRequests(t *testing.T) {
	t.Parallel()
	s := NewStep(1, Plan{Operations: 20, Warmup: ms}, nil)
	c := s.Client(0)
	c.Requested(time.Hour)
	done := 0
	require.NoError(t, c.Run(t.Context(), "get", nil, func() error {
		if done++; done%2 == 0 {
			c.Requested(3 * time.Millisecond)
		} else {
			c.Requested(0)
		}

		return nil
	}))
	c.Requested(time.Hour)
	r := s.Read()
	require.Equal(t, int64(10), r.Requests.Count)
	require.Equal(t, 3*time.Millisecond, r.Requests.Mean())

	r.Join(&r)
	require.Equal(t, int64(20), r.Requests.Count)
}
