package workload

import "time"

// Result is what a client's run came to. What failed is in Failed, and nowhere else but in Wrong
// and Misses.
type Result struct {
	Succeeded uint64 // operations
	Failed    uint64 // operations
	Wrong     uint64 // those of them that brought another value than the key's

	Hits    uint64 // keys that a read found
	Misses  uint64 // keys that a read did not find; reads of prefilled keys have failed with that
	Hot     uint64 // of hits and misses: those of hot keys, which hotcold and zipf have
	HotHits uint64
	Refused uint64 // values of a getOrSet that the store would not keep

	BytesReceived uint64 // of values
	BytesSent     uint64

	Took time.Duration // from the start of the first operation to the end of the last
}

// Add adds what another run came to. Their times add up.
func (r *Result) Add(other *Result) {
	r.Succeeded += other.Succeeded
	r.Failed += other.Failed
	r.Wrong += other.Wrong
	r.Hits += other.Hits
	r.Misses += other.Misses
	r.Hot += other.Hot
	r.HotHits += other.HotHits
	r.Refused += other.Refused
	r.BytesReceived += other.BytesReceived
	r.BytesSent += other.BytesSent
	r.Took += other.Took
}
