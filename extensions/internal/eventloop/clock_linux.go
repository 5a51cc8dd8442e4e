//go:build !portable

package eventloop

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
)

// now returns package clock's time in nanoseconds.
func now() int64 { return int64(clock.Now()) }

// instant converts t to the scale of now. It never returns 0, which means none. A time without a
// monotonic reading is converted by its distance from the current wall clock.
func instant(t time.Time) int64 {
	if at := now() + int64(time.Until(t)); at != 0 {
		return at
	}

	return 1
}
