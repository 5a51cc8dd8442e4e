package hashing

// Jump is the jump consistent hash of Lamping and Veach ("A Fast, Minimal Memory, Consistent Hash
// Algorithm", 2014), applied to the key's 64-bit FNV-1a hash. It needs no memory and spreads keys
// evenly. Servers can be added and removed only at the end of the list.
type Jump int

// NewJump returns the hashing for this many servers, at least one.
func NewJump(servers int) Jump { return Jump(servers) }

// Pick implements Picker.
func (j Jump) Pick(key []byte) int { return jump(fnv1a(key), int(j)) }

func jump(key uint64, buckets int) int {
	bucket, next := int64(-1), int64(0)
	for next < int64(buckets) {
		bucket = next
		key = key*2862933555777941757 + 1
		next = int64(float64(bucket+1) * (float64(int64(1)<<31) / float64((key>>33)+1)))
	}

	return int(bucket)
}

// fnv1a is New64a of hash/fnv without its allocation.
func fnv1a(key []byte) uint64 {
	hash := uint64(14695981039346656037)
	for _, b := range key {
		hash = (hash ^ uint64(b)) * 1099511628211
	}

	return hash
}
