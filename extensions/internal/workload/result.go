package workload

import "time"

// Result counts what a client did in a run.
type Result struct {
	Succeeded uint64 // successful operations
	Failed    uint64 // failed operations
	Wrong     uint64 // failed operations that read a wrong value

	Hits    uint64 // keys that reads found
	Misses  uint64 // keys that reads did not find, failed reads of prefilled keys included
	Hot     uint64 // hits and misses of hot keys (hotcold and zipf)
	HotHits uint64
	Refused uint64 // values of getOrSet operations that the store did not keep

	BytesReceived uint64 // bytes of values
	BytesSent     uint64

	Took time.Duration // from the first operation's start to the last one's end
}

// Add adds the counts and the time of another run.
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
