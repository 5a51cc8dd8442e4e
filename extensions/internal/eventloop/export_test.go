//go:build linux && !portable

package eventloop

import "time"

// Sleepers is until when seats sleep that come in this order, and when the first one is to wake.
func Sleepers(untils ...time.Duration) (order []time.Duration, wake time.Duration) {
	var all sleepers
	for _, until := range untils {
		all.add(&Seat{until: int64(until)})
	}
	for _, s := range all {
		order = append(order, time.Duration(s.until))
	}

	return order, time.Duration(all.wake())
}
