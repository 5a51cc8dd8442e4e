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

// Nap is how long a loop with so many clients looks away, of which so many wait for answers that
// come one by one, and each for so long until it has all.
func Nap(clients, patient int, batch time.Duration) time.Duration {
	l := loop{seats: map[*Seat]struct{}{}, drowsiness: drowsiness{patient, int64(batch)}}
	for range clients {
		l.seats[new(Seat)] = struct{}{}
	}

	return time.Duration(l.drowsy())
}

// Apart tells, batch by batch, whether the answers of the next one are expected to come one by one,
// where a client waited so often for those of this one.
func Apart(waits ...int) (apart []bool) {
	var b batch
	for _, b.waits = range waits {
		b.over()
		apart = append(apart, b.apart)
	}

	return apart
}

// ComeApart tells whether the answers of the connection's next batch are expected to come one by
// one, and how long the batches at its loop take.
func ComeApart(c *Conn) (apart bool, batches time.Duration) {
	return c.batch.apart, time.Duration(c.seat.loop.batches)
}

// Away is how long a loop with so many clients looks away that has found answers in looks, so many
// and so long after the look before.
func Away(clients, answers int, after time.Duration, looks int) time.Duration {
	var c crowd
	for at := range looks {
		c.looks(int64(at+1) * int64(after))
		c.answers = answers
	}

	return time.Duration(c.away(clients))
}
