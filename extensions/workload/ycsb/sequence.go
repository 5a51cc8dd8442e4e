package ycsb

import (
	"sync"
	"sync/atomic"
)

// sequence numbers the records that are inserted while the workload runs, as
// AcknowledgedCounterGenerator does: a record may be read once it and all before it were inserted.
// A record whose insert has failed is never read.
type sequence struct {
	next atomic.Int64
	last atomic.Int64 // the last record that may be read

	mu     sync.Mutex
	ended  map[int64]struct{} // inserts that have ended while one before them had not
	failed map[int64]struct{}
	holes  atomic.Bool // failed is not empty
}

// start makes the sequence go on behind so many records.
func (s *sequence) start(records int64) {
	s.next.Store(records)
	s.last.Store(records - 1)
	s.ended, s.failed = map[int64]struct{}{}, map[int64]struct{}{}
}

// claim returns the number of the next record.
func (s *sequence) claim() int64 { return s.next.Add(1) - 1 }

// acknowledge ends the insert of a record.
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

// readable reports whether a record may be read.
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

// Load is a load phase, which all clients of a step share: each record is inserted once.
type Load struct {
	records int64
	next    atomic.Int64
}

// NewLoad returns the load phase of a workload.
func (w *Workload) NewLoad() *Load { return &Load{records: w.options.RecordCount} }

// Claim returns the next record, unless there are none left.
func (l *Load) Claim() (record int64, left bool) {
	record = l.next.Add(1) - 1

	return record, record < l.records
}

// Left returns how many records nobody has claimed yet.
func (l *Load) Left() int64 { return max(l.records-l.next.Load(), 0) }
