// Package clock is the monotonic clock that times operations. On Windows its resolution is a
// microsecond; package time steps by 0.5 to 15 ms there.
package clock

import "time"

// Since returns the time since begin, a value of Now.
func Since(begin time.Duration) time.Duration { return Now() - begin }
