//go:build !portable

package eventloop

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestInstantOfADeadline(t *testing.T) {
	const away = 10 * time.Second
	for name, at := range map[string]time.Time{
		"monotonic": time.Now().Add(away), "wall clock": time.Now().Add(away).Round(0), "unix": time.Unix(0, time.Now().Add(away).UnixNano()),
	} {
		left := time.Duration(instant(at) - now())
		require.InDelta(t, away, left, float64(time.Second), name)
	}
	require.Negative(t, instant(time.Now().Add(-away))-now())
}
