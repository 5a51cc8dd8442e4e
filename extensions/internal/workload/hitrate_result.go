package workload

import "time"

// RateResult counts what one or more clients did in a pass. A failed access is neither a hit nor a
// miss.
type RateResult struct {
	Hits, Misses, Failed uint64
	Wrong                uint64 // failed accesses that returned a wrong value
	Refused              uint64 // misses whose value the store did not keep
	Hot                  uint64 // accesses to hot cases, failed ones included; checks a complete pass
	HotHits              uint64

	BytesReceived, BytesSent uint64 // bytes of values

	Began, Ended time.Time // first and last access; zero without accesses
}

// Accesses returns the number of accesses.
func (r *RateResult) Accesses() uint64 { return r.Hits + r.Misses + r.Failed }

// Succeeded returns the number of accesses that did not fail.
func (r *RateResult) Succeeded() uint64 { return r.Hits + r.Misses }

// Took returns the time from Began to Ended.
func (r *RateResult) Took() time.Duration { return r.Ended.Sub(r.Began) }

// Add adds the result of a concurrent client. Began is the earlier, Ended the later of the two.
func (r *RateResult) Add(other *RateResult) {
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
