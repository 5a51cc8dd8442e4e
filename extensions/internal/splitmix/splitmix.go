// Package splitmix turns consecutive numbers into random-looking ones.
package splitmix

// Mix is SplitMix64's finaliser, a bijection. Changing one bit of x changes half of the result's
// bits on average.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb

	return x ^ x>>31
}
