package jsmodule_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/internal/sweeptest"
)

// A client that is alone in the test, and waits for each operation, has k6 at one processor. Others
// have what there is.
func TestSweepRunOfAClientAloneHoldsOneProcessor(t *testing.T) {
	const all = 3
	t.Setenv("GOMAXPROCS", "3")
	before := runtime.GOMAXPROCS(all)
	defer runtime.GOMAXPROCS(before)

	for name, c := range map[string]struct {
		config string
		others int64
		want   int
	}{
		"alone":               {`{"clients": [1], "iterations": 5, "warmup": "0s"}`, 0, 1},
		"two clients":         {`{"clients": [2], "iterations": 5, "warmup": "0s"}`, 0, all},
		"beside another VU":   {`{"clients": [1], "iterations": 5, "warmup": "0s"}`, 1, all},
		"alone, at its times": {`{"rate": [100], "preAllocatedVUs": 1, "duration": "1s", "warmup": "0s"}`, 0, all},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var seen []int
			synctest.Test(t, func(t *testing.T) {
				s := sweeptest.New(t, c.config, `sweep.run(() => { look(); sleep(1) })`)
				s.State.ModCurrentlyActiveVUsCount(c.others)
				end := sync.OnceFunc(func() { s.State.ModCurrentlyActiveVUsCount(-c.others) })
				for _, vu := range s.VUs {
					require.NoError(t, vu.Script.Set("look", func() {
						mu.Lock()
						defer mu.Unlock()
						end()
						seen = append(seen, runtime.GOMAXPROCS(0))
					}))
				}
				_, err := s.Run(lib.WithExecutionState(t.Context(), s.State))
				require.NoError(t, err)
			})
			slices.Sort(seen)
			require.Equal(t, []int{c.want}, slices.Compact(seen))
			require.Equal(t, all, runtime.GOMAXPROCS(0), "afterwards")
		})
	}
}
