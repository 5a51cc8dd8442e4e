package workload

const (
	defaultDigits     = 12
	defaultHotPercent = 20
	defaultHotAccess  = 80
	defaultExponent   = 0.99 // as in YCSB
)

// Append appends key i: the prefix and i, padded with zeros to the key size.
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

// Only hotcold and zipf have hot keys, which come first.
func (k *Keys) hot() int {
	if k.Distribution != HotCold && k.Distribution != Zipf {
		return 0
	}

	return int(float64(k.Count) * or(k.HotPercent, defaultHotPercent) / 100)
}

// deviation covers the keys with three standard deviations to either side, as in memtier_benchmark.
func (k *Keys) deviation() float64 { return float64(k.Count) / 6 }

func (k *Keys) share(index, clients int) (first, end int) {
	return portion(k.Count, index, clients), portion(k.Count, index+1, clients)
}

// portion returns count*index/clients without overflow.
func portion(count, index, clients int) int {
	return count/clients*index + count%clients*index/clients
}

func or(value *float64, otherwise float64) float64 {
	if value == nil {
		return otherwise
	}

	return *value
}
