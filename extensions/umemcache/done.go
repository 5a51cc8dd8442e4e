package umemcache

import "time"

type done struct {
	operation          string
	err                error
	took               time.Duration
	hits, misses       int
	received, sent     uint64 // numbers of bytes
	retries, lostFills uint64
}

func (d *done) asked(found bool) {
	if found {
		d.hits++
	} else {
		d.misses++
	}
}

func (m *module) record(d *done) {
	m.count(d)
	m.EmitDuration(d.operation, d.err, d.took)
}

func (m *module) count(d *done) {
	m.Count(d.operation, d.err, d.hits, d.misses)
	m.Add(m.retries, float64(d.retries))
	m.Add(m.lostFills, float64(d.lostFills))
	m.Traffic(d.received, d.sent)
}
