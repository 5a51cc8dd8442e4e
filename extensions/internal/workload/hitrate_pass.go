package workload

import "sync/atomic"

// Pass hands out the accesses of a pass in order, each once. Clients share it.
type Pass struct {
	bench    *Benchmark
	accesses []uint32
	next     atomic.Int64
}

// Warmup returns a new pass that fills the cache.
func (b *Benchmark) Warmup() *Pass { return &Pass{bench: b, accesses: b.accesses[:len(b.accesses)/2]} }

// Timed returns a new pass to be measured.
func (b *Benchmark) Timed() *Pass { return &Pass{bench: b, accesses: b.accesses[len(b.accesses)/2:]} }

// Next claims the next access and returns its case. ok is false at the end of the pass.
func (p *Pass) Next() (i int, ok bool) {
	at := p.next.Add(1) - 1
	if at >= int64(len(p.accesses)) {
		return 0, false
	}

	return int(p.accesses[at]), true
}

// Left returns the number of unclaimed accesses.
func (p *Pass) Left() int { return max(len(p.accesses)-int(p.next.Load()), 0) }
