package measure

import "time"

// A step fails entirely if no operation has succeeded and all clients fail with one cause. This
// must last for a second after the last client's first attempt and for ten failures, or for five
// seconds.
const (
	allFailAfter    = time.Second
	allFailFailures = 10
	allFailAnyway   = 5 * time.Second
)

// OnAllFail sets a function that a client's goroutine calls once when no operation can succeed,
// with the last error and the number of failures with its cause. Call it before any client runs.
func (s *Step) OnAllFail(fn func(err error, failures uint64)) { s.onAllFail = fn }

// Succeeded records a success outside operations, such as the first call of a plain function.
func (s *Step) Succeeded() { s.succeeded.Store(true) }

// AnySucceeded reports whether any operation has succeeded, including in the warm-up.
func (s *Step) AnySucceeded() bool {
	if s.succeeded.Load() {
		return true
	}
	for _, c := range s.clients {
		for _, r := range c.kinds() {
			if r.succeeded() {
				s.succeeded.Store(true)

				return true
			}
		}
	}

	return false
}

type common struct {
	failures uint64
	clients  map[int]struct{}
	last     error
}

// failedWith records a client's failure, and calls onAllFail if all have failed.
func (s *Step) failedWith(c *Client, cause string, err error) {
	if s.onAllFail == nil || s.succeeded.Load() || s.stopping() { // an interrupted operation has not failed by itself
		return
	}
	if failures, sure := s.allFail(c, cause, err); sure && !s.AnySucceeded() {
		s.allFailOnce.Do(func() { s.onAllFail(err, failures) })
	}
}

func (s *Step) allFail(c *Client, cause string, err error) (failures uint64, sure bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.common[cause]
	if known == nil {
		if len(s.common) >= maxMessages {
			return 0, false
		}
		known = &common{clients: map[int]struct{}{}}
		if s.common == nil {
			s.common = map[string]*common{}
		}
		s.common[cause] = known
	}
	known.failures, known.last = known.failures+1, err
	known.clients[c.index] = struct{}{}
	tried := now() - c.tries

	return known.failures, len(known.clients) == len(s.clients) &&
		(tried >= allFailAnyway || tried >= allFailAfter && known.failures >= allFailFailures)
}

// AllFailed returns the number of failures and the last error of a step in which every operation
// has failed with one cause, at least ten for each client; 0 for other steps.
func (s *Step) AllFailed() (failures uint64, last error) {
	if s.AnySucceeded() {
		return 0, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.common {
		if len(c.clients) == len(s.clients) && c.failures >= uint64(allFailFailures*len(s.clients)) {
			failures, last = c.failures, c.last
		}
	}

	return failures, last
}
