package host

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServerAtRest(t *testing.T) {
	for name, tt := range map[string]struct {
		cores []float64
		want  bool
	}{
		"idle":                           {slices.Repeat([]float64{0.001}, 4), true},
		"not seen for long enough":       {slices.Repeat([]float64{0.001}, 3), false},
		"a moment of work":               {[]float64{0, 0, 0.05, 0}, true},
		"busy":                           {slices.Repeat([]float64{0.34}, 4), false},
		"busy, always the same":          {slices.Repeat([]float64{0.34}, 200), false},
		"busy, then idle":                {append(slices.Repeat([]float64{0.34}, 100), 0, 0, 0, 0.01), true},
		"idle, then busy":                {append(slices.Repeat([]float64{0}, 3), 0.34), false},
		"some work of its own":           {slices.Repeat([]float64{0.1, 0.11, 0.09, 0.1}, 10), true},
		"some work, not seen for long":   {slices.Repeat([]float64{0.1, 0.11, 0.09, 0.1}, 9), false},
		"some work that becomes less":    {append(slices.Repeat([]float64{0.14}, 20), slices.Repeat([]float64{0.1}, 20)...), false},
		"more than some work of its own": {slices.Repeat([]float64{0.2}, 200), false},
	} {
		m := &RestMeter{}
		for _, cores := range tt.cores {
			m.Add(cores)
		}
		require.Equal(t, tt.want, m.AtRest(), name)
	}
}
