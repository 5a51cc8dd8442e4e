package quiet

import "time"

// Deadline sets the deadline of a connection seldom: to set it for each call would cost some 2 % of
// the processor time of a memcached get. The zero value is ready.
type Deadline struct {
	began time.Time
	until time.Duration // after began: the deadline; zero for none
}

// Arm makes sure that the deadline is at least so much time away, and at most a hundredth more.
func (d *Deadline) Arm(within time.Duration, set func(time.Time) error) error {
	if d.began.IsZero() {
		d.began = time.Now()
	}
	now := time.Since(d.began)
	if left := d.until - now; left >= within && left <= within+within/100 {
		return nil
	}
	d.until = now + within + within/100

	return set(d.began.Add(d.until))
}

// Forget says that the connection's deadline is another one by now.
func (d *Deadline) Forget() { d.until = 0 }
