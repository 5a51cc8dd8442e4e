package processors

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// Holders share the one processor, and the last to let go gives back what there was before.
func TestHoldOne(t *testing.T) {
	for name, set := range map[string]string{"GOMAXPROCS unset": "", "GOMAXPROCS set": "3"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOMAXPROCS", set)
			before := runtime.GOMAXPROCS(0)
			if set != "" {
				runtime.GOMAXPROCS(3)
				before = 3
			}
			t.Cleanup(runtime.SetDefaultGOMAXPROCS)

			first, second := HoldOne(), HoldOne()
			require.Equal(t, 1, runtime.GOMAXPROCS(0))
			require.Equal(t, before, Count(), "what k6 may use is asked for while it is held")
			first()
			first() // again is nothing
			require.Equal(t, 1, runtime.GOMAXPROCS(0), "the second still holds it")
			second()
			require.Equal(t, before, runtime.GOMAXPROCS(0))
			require.Equal(t, before, Count())
		})
	}
}
