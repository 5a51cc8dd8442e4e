package measure

import "time"

// epoch makes now a difference of two monotonic readings: half the price of time.Now, and it never
// jumps.
var epoch = time.Now() //nolint:gochecknoglobals // the process's one zero of time

// now is the monotonic time since the process started.
func now() time.Duration { return time.Since(epoch) }
