// Package growing has buffers of connections that begin small and grow as answers and requests do.
//
// A connection of a cache has answers and requests of a hundred bytes, for as long as it lives.
// With two buffers of 16 KiB, as package bufio makes them, 5,000 of them take 160 MB. What is read
// and written, and in how many calls once the buffers have grown, is as with package bufio.
package growing

// first is the size that a buffer begins with, in bytes.
const first = 512

// grown is the size after this one, up to most.
func grown(size, most int) int { return min(max(2*size, first), most) }
