package executor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTrend(t *testing.T) {
	for name, tt := range map[string]struct {
		values []float64
		want   bool
	}{
		"too few":              {[]float64{1, 2, 3, 4, 5, 6, 7}, false},
		"rising":               {[]float64{1, 2, 3, 4, 5, 6, 7, 8}, true},
		"falling":              {[]float64{9, 8, 8, 6, 6, 5, 4, 3}, true},
		"rising no more":       {[]float64{1, 2, 3, 5, 5, 5, 5, 5, 5, 5, 5}, false},
		"constant":             {[]float64{5, 5, 5, 5, 5, 5, 5, 5}, false},
		"to and fro":           {[]float64{5, 9, 5, 9, 5, 9, 5, 9}, false},
		"rising, by very few":  {[]float64{100, 101, 102, 103, 104, 105, 106, 107}, false},
		"one that is far away": {[]float64{5, 5, 5, 5, 5, 5, 5, 50}, false},
	} {
		require.Equal(t, tt.want, hasTrend(tt.values), name)
	}
}
