package measure

import (
	"sync"
	"time"
)

// requests are how long the requests of operations took, all of one operation together: the part of
// the latency in which a script waited for its server.
type requests struct {
	mu        sync.Mutex
	durations Distribution
}

// Requested adds how long the requests of the operation took that ends now, if it is measured; 0:
// it had none.
func (c *Client) Requested(took time.Duration) {
	if took == 0 || !c.measuring {
		return
	}
	r := &c.step.requests
	r.mu.Lock()
	defer r.mu.Unlock()
	r.durations.Record(took)
}

// readRequests reads how long the requests took.
func (s *Step) readRequests(r *Reading) {
	s.requests.mu.Lock()
	defer s.requests.mu.Unlock()
	r.Requests.Merge(&s.requests.durations)
}
