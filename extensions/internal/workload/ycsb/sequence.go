package ycsb

import (
	"sync"
	"sync/atomic"
)

// sequence numbers the records inserted while the workload runs, like AcknowledgedCounterGenerator:
// a record may be read once it and all earlier ones are inserted, and never if its insert has
// failed.
type sequence struct {
	next atomic.Int64
	last atomic.Int64 // last readable record

	mu     sync.Mutex
	ended  map[int64]struct{}
	failed map[int64]struct{}
	holes  atomic.Bool
}

func (s *sequence) start(records int64) {
	s.next.Store(records)
	s.last.Store(records - 1)
	s.ended, s.failed = map[int64]struct{}{}, map[int64]struct{}{}
}

func (s *sequence) claim() int64 { return s.next.Add(1) - 1 }

func (s *sequence) acknowledge(record int64, inserted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !inserted {
		s.failed[record] = struct{}{}
		s.holes.Store(true)
	}
	s.ended[record] = struct{}{}
	last := s.last.Load()
	for {
		if _, ended := s.ended[last+1]; !ended {
			break
		}
		last++
		delete(s.ended, last)
	}
	s.last.Store(last)
}

func (s *sequence) readable(record int64) bool {
	if record < 0 || record > s.last.Load() {
		return false
	}
	if !s.holes.Load() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, failed := s.failed[record]

	return !failed
}

// Load is a load phase that all clients of a step share. Each record is inserted once.
type Load struct {
	records int64
	next    atomic.Int64
}

// NewLoad returns the load phase of a workload.
func (w *Workload) NewLoad() *Load { return &Load{records: w.options.RecordCount} }

// Claim claims the next record. left is false if all are claimed.
func (l *Load) Claim() (record int64, left bool) {
	record = l.next.Add(1) - 1

	return record, record < l.records
}

// Left returns the number of unclaimed records.
func (l *Load) Left() int64 { return max(l.records-l.next.Load(), 0) }
