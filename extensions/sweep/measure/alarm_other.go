//go:build !linux || portable

package measure

import "time"

// alarm lets a goroutine sleep precisely, which Go's own timers do where the system's poller takes
// nanoseconds.
type alarm struct{}

// sleep sleeps for d.
func (a *alarm) sleep(d time.Duration) { time.Sleep(d) }

// close gives back what the alarm holds: nothing.
func (a *alarm) close() {}
