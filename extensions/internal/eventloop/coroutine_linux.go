//go:build !portable

package eventloop

import "iter"

func (s *Seat) start(job func() error) {
	s.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		s.yield = yield
		s.err = guarded(job)
	})
}
