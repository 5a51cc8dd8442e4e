package hitrate

// HitRate returns hits as a percentage of accesses; 0 without accesses.
func HitRate(hits, accesses uint64) float64 {
	if accesses == 0 {
		return 0
	}

	return float64(hits) / float64(accesses) * 100
}

// PerMemory scales a figure by limit/peak if the server used more memory than its limit. Both are
// in bytes; peak is the resident memory (VmHWM) of all server processes.
func PerMemory(figure float64, limit, peak int64) float64 {
	return figure * float64(limit) / float64(max(peak, limit))
}

// HitsPerSecond returns hits per second; 0 if seconds is 0. The published hit/s/mem is PerMemory of
// it.
func HitsPerSecond(hits uint64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}

	return float64(hits) / seconds
}

// OutputSpeed returns the data sent for these hits in Mebibit/s, for an average item size in bytes.
func OutputSpeed(hits uint64, averageItem int64, seconds float64) float64 {
	const bits, mebi = 8, 1 << 20

	return HitsPerSecond(hits, seconds) * float64(averageItem) * bits / mebi
}
