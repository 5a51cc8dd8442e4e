package executor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStepsWeighAsMuchAsTheyTake(t *testing.T) {
	for name, c := range map[string]struct {
		options string
		index   int
		done    float64
		want    float64
	}{
		"nothing yet":         {`{"clients": [1, 3, 6], "iterations": 10}`, 1, 0, 0},
		"half of the first":   {`{"clients": [1, 3, 6], "iterations": 10}`, 1, 0.5, 0.05},
		"half of the largest": {`{"clients": [1, 3, 6], "iterations": 10}`, 3, 0.5, 0.7},
		"all":                 {`{"clients": [1, 3, 6], "iterations": 10}`, 3, 1, 1},
		"second repeat":       {`{"clients": [2, 3], "iterations": 10, "repeats": 2}`, 2, 1, 0.5},
		"equal times":         {`{"clients": [1, 3], "duration": "1s"}`, 2, 0.5, 0.75},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := Read("x", []byte(c.options))
			require.NoError(t, err)
			p := newProgress(config)
			p.index = c.index
			require.InDelta(t, c.want, p.part(c.done), 1e-9)
		})
	}
}

// The time left does not grow between two checks of a step's precision.
func TestTimeLeft(t *testing.T) {
	for name, c := range map[string]struct {
		done              float64
		at, elapsed, want time.Duration
	}{
		"nothing yet":           {0, 10 * time.Second, 10 * time.Second, 0},
		"a quarter":             {0.25, 10 * time.Second, 10 * time.Second, 30 * time.Second},
		"a quarter, a while on": {0.25, 10 * time.Second, 25 * time.Second, 15 * time.Second},
		"longer than thought":   {0.25, 10 * time.Second, time.Minute, 0},
		"all":                   {1, 10 * time.Second, 10 * time.Second, 0},
	} {
		require.Equal(t, c.want, left(c.done, c.at, c.elapsed), name)
	}
}
