package executor_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/internal/sweeptest"
)

func TestRawSamplesHaveTimesOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sweeptest.New(t, `{"clients": [50], "iterations": 40, "raw": true}`, `sweep.run(() => sleep(10))`)
		begin := time.Now()
		_, err := s.Run(t.Context())
		require.NoError(t, err)
		times := map[int64]bool{}
		for _, sample := range s.Sent()["sweep_duration"] {
			times[sample.At.UnixNano()] = true
			require.False(t, sample.At.Before(begin))
			require.Less(t, sample.At.Sub(begin), 400*time.Millisecond+time.Microsecond)
		}
		require.Len(t, times, 50*40)
	})
}
