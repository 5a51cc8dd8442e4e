//go:build !linux || portable

package measure

import "time"

type alarm struct{}

func (a *alarm) sleep(d time.Duration) { time.Sleep(d) }

func (a *alarm) close() {}
