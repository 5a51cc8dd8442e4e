package workload

const (
	defaultDigits     = 12
	defaultHotPercent = 20
	defaultHotAccess  = 80
	defaultExponent   = 0.99 // YCSB's
)

// Append appends key i: the prefix and i in as many decimal digits as the size leaves.
func (k *Keys) Append(buf []byte, i int) []byte {
	buf = append(buf, k.Prefix...)
	start := len(buf)
	for range k.size() - len(k.Prefix) {
		buf = append(buf, '0')
	}
	for at := len(buf) - 1; i > 0 && at >= start; at-- {
		buf[at] = byte('0' + i%10)
		i /= 10
	}

	return buf
}

func (k *Keys) size() int {
	if k.Size == 0 {
		return len(k.Prefix) + defaultDigits
	}

	return k.Size
}

// hot is how many keys are hot, from the first on; no distribution but hotcold and zipf has any.
func (k *Keys) hot() int {
	if k.Distribution != HotCold && k.Distribution != Zipf {
		return 0
	}

	return int(float64(k.Count) * or(k.HotPercent, defaultHotPercent) / 100)
}

// deviation spreads the keys as memtier_benchmark does: three standard deviations to either side.
func (k *Keys) deviation() float64 { return float64(k.Count) / 6 }

// share is what client index of clients goes through of the keys by itself: from first, up to end.
func (k *Keys) share(index, clients int) (first, end int) {
	return portion(k.Count, index, clients), portion(k.Count, index+1, clients)
}

// portion is count*index/clients, which would not fit 64 bits.
func portion(count, index, clients int) int {
	return count/clients*index + count%clients*index/clients
}

func or(value *float64, otherwise float64) float64 {
	if value == nil {
		return otherwise
	}

	return *value
}
