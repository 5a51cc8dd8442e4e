//go:build !linux || portable

package measure

import "time"

// alarm is a precise sleep. Here, Go's timers are precise.
type alarm struct{}

func (a *alarm) sleep(d time.Duration) { time.Sleep(d) }

func (a *alarm) close() {}
