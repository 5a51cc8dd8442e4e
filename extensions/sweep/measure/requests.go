package measure

import (
	"sync"
	"time"
)

// requests records the time that each operation spent in requests: the part of its latency in which
// the script waited for its server.
type requests struct {
	mu        sync.Mutex
	durations Distribution
}

// Requested records the time that the operation that ends now has spent in requests. It ignores 0,
// and operations that are not measured.
func (c *Client) Requested(took time.Duration) {
	if took == 0 || !c.measuring {
		return
	}
	r := &c.step.requests
	r.mu.Lock()
	defer r.mu.Unlock()
	r.durations.Record(took)
}

// readRequests adds the times to a reading.
func (s *Step) readRequests(r *Reading) {
	s.requests.mu.Lock()
	defer s.requests.mu.Unlock()
	r.Requests.Merge(&s.requests.durations)
}
