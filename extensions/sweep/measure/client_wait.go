package measure

import "time"

// Waits are how long answers waited until their clients read them, of clients that take turns on
// one goroutine: that goroutine records them. Not all waits have to be recorded.
type Waits struct{ histogram histogram }

// Record adds the wait of an answer to an operation of the client, if that is measured.
func (w *Waits) Record(c *Client, wait time.Duration) {
	if c.measuring {
		w.histogram.record(wait)
		c.woken = wait
	}
}

// Waits returns those of goroutine number, counted from zero. Ask once and keep them for the step:
// asking takes a lock.
func (s *Step) Waits(number int) *Waits {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waits) <= number {
		s.waits = append(s.waits, &Waits{})
	}

	return s.waits[number]
}

// readWaits reads how long answers waited.
func (s *Step) readWaits(r *Reading) {
	s.mu.Lock()
	all := s.waits
	s.mu.Unlock()
	for _, w := range all {
		r.ClientWait.add(&w.histogram)
	}
}
