package hitrate

import "time"

// Result is what one client, or several, did of a pass. Accesses that failed are neither hits nor
// misses.
type Result struct {
	Hits, Misses, Failed uint64
	Wrong                uint64 // of those that failed: another value came than the case's
	Refused              uint64 // misses whose value the store would not keep
	Hot                  uint64 // accesses to hot cases, failed ones included: the figure that checks a complete pass
	HotHits              uint64

	BytesReceived, BytesSent uint64 // of values

	Began, Ended time.Time // the first access and the last; zero without any
}

// Accesses is the number of accesses.
func (r *Result) Accesses() uint64 { return r.Hits + r.Misses + r.Failed }

// Succeeded is the number of accesses that did not fail.
func (r *Result) Succeeded() uint64 { return r.Hits + r.Misses }

// Took is the time from the beginning to the end.
func (r *Result) Took() time.Duration { return r.Ended.Sub(r.Began) }

// Add adds what another client did at the same time: from the earlier beginning to the later end.
func (r *Result) Add(other *Result) {
	r.Hits += other.Hits
	r.Misses += other.Misses
	r.Failed += other.Failed
	r.Wrong += other.Wrong
	r.Refused += other.Refused
	r.Hot += other.Hot
	r.HotHits += other.HotHits
	r.BytesReceived += other.BytesReceived
	r.BytesSent += other.BytesSent
	if r.Began.IsZero() || !other.Began.IsZero() && other.Began.Before(r.Began) {
		r.Began = other.Began
	}
	if other.Ended.After(r.Ended) {
		r.Ended = other.Ended
	}
}
