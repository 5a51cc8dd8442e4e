//go:build !portable

package eventloop

import "time"

// epoch is where this package counts time from, by a clock that nobody sets: deadlines are no
// affair of the wall clock's.
var epoch = time.Now() //nolint:gochecknoglobals // a constant of the process

// now is the time since epoch in nanoseconds.
func now() int64 { return int64(time.Since(epoch)) }

// instant is a time as now counts, and never zero, which stands for none. How far away a time of
// the wall clock is, such as what interrupts a connection sets, the clock says as it is set now.
func instant(t time.Time) int64 {
	if at := now() + int64(time.Until(t)); at != 0 {
		return at
	}

	return 1
}

// timeOf is the time of an instant.
func timeOf(at int64) time.Time { return epoch.Add(time.Duration(at)) }
