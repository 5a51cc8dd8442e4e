// Package clock is the clock by which operations are timed. It never jumps, as that of package time
// does not; and on Windows it tells microseconds, where that one steps by 0.5 to 15 ms.
package clock

import "time"

// Since is the time that has passed since begin, a reading of Now.
func Since(begin time.Duration) time.Duration { return Now() - begin }
