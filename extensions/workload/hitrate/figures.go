package hitrate

// HitRate is the percentage of accesses that hit, or of hot accesses; 0 without any.
func HitRate(hits, accesses uint64) float64 {
	if accesses == 0 {
		return 0
	}

	return float64(hits) / float64(accesses) * 100
}

// PerMemory scales a figure down by the memory that a server took above its limit: to limit/peak of
// it. A server that kept below its limit gains nothing. Both are in bytes; peak is the highest
// resident memory of the server's processes together (VmHWM).
func PerMemory(figure float64, limit, peak int64) float64 {
	return figure * float64(limit) / float64(max(peak, limit))
}

// HitsPerSecond is hits by seconds; 0 when no time has passed. The published hit/s/mem is PerMemory
// of it.
func HitsPerSecond(hits uint64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}

	return float64(hits) / seconds
}

// OutputSpeed is what a server sent, in 2^20 bits a second: that many hits of average items, in
// bytes.
func OutputSpeed(hits uint64, averageItem int64, seconds float64) float64 {
	const bits, mebi = 8, 1 << 20

	return HitsPerSecond(hits, seconds) * float64(averageItem) * bits / mebi
}
