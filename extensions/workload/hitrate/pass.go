package hitrate

import "sync/atomic"

// Pass hands the accesses of a pass out to clients, each access once and in their order. Any number
// of clients may share it.
type Pass struct {
	bench    *Benchmark
	accesses []uint32
	next     atomic.Int64
}

// Warmup is the pass that fills the cache, from its beginning.
func (b *Benchmark) Warmup() *Pass { return &Pass{bench: b, accesses: b.accesses[:len(b.accesses)/2]} }

// Timed is the pass that is measured, from its beginning.
func (b *Benchmark) Timed() *Pass { return &Pass{bench: b, accesses: b.accesses[len(b.accesses)/2:]} }

// Next claims the next access and returns its case, or false when there are none left.
func (p *Pass) Next() (i int, ok bool) {
	at := p.next.Add(1) - 1
	if at >= int64(len(p.accesses)) {
		return 0, false
	}

	return int(p.accesses[at]), true
}

// Left is the number of accesses that nobody has claimed yet.
func (p *Pass) Left() int { return max(len(p.accesses)-int(p.next.Load()), 0) }
