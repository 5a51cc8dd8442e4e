package sweep

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Clients that end an operation at the same moment have times of their own all the same.
func TestRawSamplesHaveTimesOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweepTest(t, `{"clients": [50], "iterations": 40, "raw": true}`, `sweep.run(() => sleep(10))`)
		begin := time.Now()
		_, err := s.run(t.Context())
		require.NoError(t, err)
		times := map[int64]bool{}
		for _, sample := range s.sent()["sweep_duration"] {
			times[sample.at.UnixNano()] = true
			require.False(t, sample.at.Before(begin))
			require.Less(t, sample.at.Sub(begin), 400*time.Millisecond+time.Microsecond)
		}
		require.Len(t, times, 50*40)
	})
}
