package host

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// Go's runtime samples one wait in eight, so the test needs many.
func TestLockWaits(t *testing.T) {
	before, begin := readRuntime(), time.Now()
	var lock sync.Mutex
	var waiting sync.WaitGroup
	lock.Lock()
	for range 400 {
		waiting.Go(func() {
			lock.Lock()
			defer lock.Unlock()
		})
	}
	time.Sleep(100 * time.Millisecond)
	lock.Unlock()
	waiting.Wait()
	after, seconds := readRuntime(), time.Since(begin).Seconds()

	e := witness.Evidence{}
	after.since(&before, e, seconds)
	require.Greater(t, e[witness.Locks], 100.0, "400 goroutines waited for nearly all of the time")
	e = witness.Evidence{}
	after.since(&after, e, seconds)
	require.Zero(t, e[witness.Locks], "nobody has waited")
}
