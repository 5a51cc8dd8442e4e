package netutil

import "time"

// Deadline sets a connection's deadline rarely; setting it for each call costs about 2 % of a
// memcached get. The zero value is ready to use.
type Deadline struct {
	began time.Time
	until time.Duration // the deadline, relative to began; zero for none
}

// Arm ensures that the deadline is between within and 1.01 times within away.
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

// Forget must be called after the connection's deadline was set elsewhere.
func (d *Deadline) Forget() { d.until = 0 }
