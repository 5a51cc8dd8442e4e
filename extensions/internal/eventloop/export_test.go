//go:build linux && !portable

package eventloop

import "time"

// Sleepers adds seats that sleep until the given times and returns their order.
func Sleepers(untils ...time.Duration) (order []time.Duration) {
	var all sleepers
	for _, until := range untils {
		all.add(&Seat{until: int64(until)})
	}
	for _, s := range all {
		order = append(order, time.Duration(s.until))
	}

	return order
}
