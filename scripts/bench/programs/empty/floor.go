package main

import (
	"time"

	"github.com/grafana/sobek"
)

// floor calls the function from within another call of JavaScript, as sweep.run does: sobek takes
// less for that. Of the measured operations it reads the clock once for each, and counts how long
// that took.
type floor struct {
	*client

	runtime *sobek.Runtime
	counts  [counters]uint64
}

// counters are those of a floor, one for each nanosecond; the last one is for all that took longer.
const counters = 1 << 13

func newFloor() (*floor, error) {
	runtime := sobek.New()
	client, err := newClient(runtime)

	return &floor{client: client, runtime: runtime}, err
}

// Operations implements crew.Bare.
func (f *floor) Operations(n int) (err error) {
	operations := func(sobek.FunctionCall) sobek.Value {
		epoch := time.Now()
		for last := time.Duration(0); n > 0 && err == nil; n-- {
			_, err = f.fn(sobek.Undefined())
			now := time.Since(epoch)
			f.counts[min(now-last, counters-1)]++
			last = now
		}

		return sobek.Undefined()
	}
	if failed := f.runtime.Set("operations", operations); failed != nil {
		return failed
	}
	if _, failed := f.runtime.RunString("operations()"); err == nil {
		err = failed
	}

	return err
}
