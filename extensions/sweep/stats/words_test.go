package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTimes(t *testing.T) {
	for want, ratio := range map[string]float64{"0.0012x": 0.00123, "0.012x": 0.0123, "1.000x": 1, "9.999x": 9.9994, "11.8x": 11.785} {
		require.Equal(t, want, Times(ratio))
	}
	require.Equal(t, "1.142x (1.121 to 1.163)", TimesWithin(1.1421, 1.1209, 1.1631))
}

// Each figure has a word for its interval: within 5 % it is the same.
func TestWord(t *testing.T) {
	const rate, latency = true, false
	for _, tt := range []struct {
		rate      bool
		low, high float64
		want      string
	}{
		{rate, 1.01, 1.2, "better"},
		{rate, 0.8, 0.99, "worse"},
		{latency, 1.01, 1.2, "worse"},
		{latency, 0.8, 0.99, "better"},
		{latency, 0.98, 1.03, "same within 3.0 %"},
		{rate, 1.01, 1.049, "same within 4.9 %"},
		{rate, 0.9, 1.3, "cannot tell"},
	} {
		require.Equal(t, tt.want, Word(tt.rate, tt.low, tt.high), tt)
	}
}
