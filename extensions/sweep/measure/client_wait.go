package measure

import "time"

// Waits records how long answers waited to be read, for the clients of one event loop. Recording a
// sample is enough.
type Waits struct{ histogram histogram }

// Record adds a wait, if the client is measured.
func (w *Waits) Record(c *Client, wait time.Duration) {
	if c.measuring {
		w.histogram.record(wait)
		c.wakeDelay = wait
	}
}

// Waits returns the recorder of an event loop, numbered from 0. It takes a lock, so keep the result
// for the step.
func (s *Step) Waits(number int) *Waits {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waits) <= number {
		s.waits = append(s.waits, &Waits{})
	}

	return s.waits[number]
}

func (s *Step) readWaits(r *Reading) {
	s.mu.Lock()
	all := s.waits
	s.mu.Unlock()
	for _, w := range all {
		r.ClientWait.add(&w.histogram)
	}
}
