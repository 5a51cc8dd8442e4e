package measure

import "time"

// When it is clear that no operation of a step will succeed: each client has failed, all with one
// cause, and none has succeeded. One fault of a moment is not enough: the client that was the last
// to fail has tried for a second, and there are ten failures; or it has tried for five seconds, as
// clients do that wait for an answer.
const (
	allFailAfter    = time.Second
	allFailFailures = 10
	allFailAnyway   = 5 * time.Second
)

// OnAllFail makes fn be called, once and by a client's goroutine, when it is clear that no
// operation will succeed: with the last error, and how many there were of its cause. Set it before
// any client runs.
func (s *Step) OnAllFail(fn func(err error, failures uint64)) { s.onAllFail = fn }

// Succeeded says that something has succeeded which is no operation, such as the first call of a
// plain function.
func (s *Step) Succeeded() { s.succeeded.Store(true) }

// AnySucceeded tells whether an operation has succeeded, to warm up or measured.
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

// common is a cause with which clients fail.
type common struct {
	failures uint64
	clients  map[int]struct{}
}

// failedWith notes that a client has failed, and tells onAllFail when that makes it clear.
func (s *Step) failedWith(c *Client, cause string, err error) {
	if s.onAllFail == nil || s.succeeded.Load() || s.stopping() { // what is cut off has not failed by itself
		return
	}
	if failures, sure := s.allFail(c, cause); sure && !s.AnySucceeded() {
		s.allFailOnce.Do(func() { s.onAllFail(err, failures) })
	}
}

func (s *Step) allFail(c *Client, cause string) (failures uint64, sure bool) {
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
	known.failures++
	known.clients[c.index] = struct{}{}
	tried := now() - c.tries

	return known.failures, len(known.clients) == len(s.clients) &&
		(tried >= allFailAnyway || tried >= allFailAfter && known.failures >= allFailFailures)
}
