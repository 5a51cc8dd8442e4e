//go:build !portable

package eventloop

import (
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
)

// now is the time of package clock in nanoseconds: deadlines are no affair of the wall clock's.
func now() int64 { return int64(clock.Now()) }

// instant is a time as now counts, and never zero, which stands for none. How far away a time of
// the wall clock is, such as what interrupts a connection sets, the clock says as it is set now.
func instant(t time.Time) int64 {
	if at := now() + int64(time.Until(t)); at != 0 {
		return at
	}

	return 1
}

// timeOf is the time of an instant.
func timeOf(at int64) time.Time { return time.Now().Add(time.Duration(at - now())) }
