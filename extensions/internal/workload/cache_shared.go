package workload

import (
	"sync"
	"sync/atomic"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// CacheShared is the state that all clients of a module share. The zero value is ready to use.
type CacheShared struct {
	Shared

	ycsb YCSBShared

	read       memo[string, *asked] // parsed options by their text in the script
	workloads  memo[string, *Workload]
	prefills   memo[string, *prefill]      // prefills by their keys and values
	prefilled  memo[string, *atomic.Int64] // number of keys written, by key names
	benchmarks memo[RateConfig, *Benchmark]
	passes     memo[passKey, *Pass]
}

// memo keeps what was made for a key. The zero value is ready to use.
type memo[K comparable, V any] struct {
	mu  sync.Mutex
	all map[K]V
}

func (m *memo[K, V]) of(key K, create func() (V, error)) (V, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value, is := m.all[key]; is {
		return value, nil
	}
	value, err := create()
	if err != nil {
		return value, err
	}
	if m.all == nil {
		m.all = map[K]V{}
	}
	m.all[key] = value

	return value, nil
}

type passKey struct {
	target string
	config RateConfig
	timed  bool
	of     any
}

func (s *CacheShared) options(text string) (*asked, error) {
	return s.read.of(text, func() (*asked, error) {
		a := &asked{text, options{Options: Defaults()}}

		return a, k6x.DecodeOptions([]byte(text), &a.options)
	})
}

type prefill struct {
	mu sync.Mutex
	// whole is true once one group has written all keys.
	whole bool
	// left counts the keys that each group still has to write.
	left map[any]int
}

func newPrefill() (*prefill, error) { return &prefill{left: map[any]int{}}, nil }

// begin reports whether the group must write the keys. It need not if another group has written
// all of them.
func (p *prefill) begin(group any, count int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, begun := p.left[group]
	if !begun && !p.whole {
		p.left[group], begun = count, true
	}

	return begun
}

// wrote counts keys that a client has written. It reports whether its group has written all.
func (p *prefill) wrote(group any, count int) (whole bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left[group] -= count
	p.whole = p.whole || p.left[group] <= 0

	return p.whole
}

// written returns the number of keys written of the workloads that name their keys alike.
func (s *CacheShared) written(name string) *atomic.Int64 {
	written, _ := s.prefilled.of(name, func() (*atomic.Int64, error) { return &atomic.Int64{}, nil })

	return written
}

func (s *CacheShared) pass(key passKey) (*Pass, error) {
	bench, err := s.benchmarks.of(key.config, func() (*Benchmark, error) { return NewBenchmark(key.config) })
	if err != nil {
		return nil, err
	}

	return s.passes.of(key, func() (*Pass, error) {
		if key.timed {
			return bench.Timed(), nil
		}

		return bench.Warmup(), nil
	})
}
