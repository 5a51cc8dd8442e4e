//go:build !linux || portable

package emulator

import "time"

// alarm is Go's own timer, for systems without timerfd.
type alarm struct{}

func newAlarm() *alarm { return &alarm{} }

func (*alarm) sleep(d time.Duration) { time.Sleep(d) }

func (*alarm) close() {}
