package emulator

import (
	"context"
	"sync"
	"time"
)

// coarse is the final part of a wait, which uses an alarm. Before it, the wait uses Go's timers,
// which can be a millisecond late but end with a context.
const coarse = 5 * time.Millisecond

type clock struct {
	start time.Time

	mu     sync.Mutex
	idle   []*alarm
	closed bool
}

func newClock() *clock { return &clock{start: time.Now()} }

func (c *clock) now() time.Duration { return time.Since(c.start) }

func (c *clock) waitUntil(ctx context.Context, until time.Duration) error {
	if left := until - c.now(); left > coarse {
		timer := time.NewTimer(left - coarse)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	left := until - c.now()
	if left <= 0 {
		return nil
	}
	alarm := c.alarm()
	alarm.sleep(left)
	c.release(alarm)
	return nil
}

func (c *clock) alarm() *alarm {
	c.mu.Lock()
	defer c.mu.Unlock()
	if last := len(c.idle) - 1; last >= 0 {
		alarm := c.idle[last]
		c.idle = c.idle[:last]
		return alarm
	}
	return newAlarm()
}

func (c *clock) release(alarm *alarm) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		alarm.close()
		return
	}
	c.idle = append(c.idle, alarm)
}

func (c *clock) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, alarm := range c.idle {
		alarm.close()
	}
	c.idle, c.closed = nil, true
}
