package workload

import (
	"sync"
	"sync/atomic"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// CacheShared is the state that all clients of a module share. The zero value is ready to use.
type CacheShared struct {
	Shared

	pools Pools
	ycsb  YCSBShared

	mu         sync.Mutex
	read       map[string]*asked // parsed options by their text in the script
	workloads  map[string]*Workload
	prefills   map[string]*prefill      // prefills by their keys and values
	prefilled  map[string]*atomic.Int64 // number of keys written, by key names
	passes     map[passKey]*Pass
	benchmarks map[RateConfig]*made
}

type passKey struct {
	target string
	config RateConfig
	timed  bool
	of     any
}

type made struct {
	once  sync.Once
	bench *Benchmark
	err   error
}

func (s *CacheShared) options(text string) (*asked, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.read[text]; a != nil {
		return a, nil
	}
	a := &asked{text, options{Options: Defaults()}}
	if err := k6x.DecodeOptions([]byte(text), &a.options); err != nil {
		return nil, err
	}
	if s.read == nil {
		s.read = map[string]*asked{}
	}
	s.read[text] = a

	return a, nil
}

// workload returns the shared workload for key: the script's options, or the prefilled keys.
func (s *CacheShared) workload(key string, options Options) (*Workload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if work := s.workloads[key]; work != nil {
		return work, nil
	}
	work, err := New(options, &s.pools)
	if err != nil {
		return nil, err
	}
	if s.workloads == nil {
		s.workloads = map[string]*Workload{}
	}
	s.workloads[key] = work

	return work, nil
}

type prefill struct {
	// whole is true once one group has written all keys.
	whole bool
	// left counts the keys that each group still has to write.
	left map[any]int
}

// prefill reports whether the group must write the keys. It need not if another group has written
// all of them.
func (s *CacheShared) prefill(keys string, group any, count int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prefills == nil {
		s.prefills = map[string]*prefill{}
	}
	p := s.prefills[keys]
	if p == nil {
		p = &prefill{left: map[any]int{}}
		s.prefills[keys] = p
	}
	_, begun := p.left[group]
	if !begun && !p.whole {
		p.left[group], begun = count, true
	}

	return begun
}

// wrote counts keys that a client has written. It reports whether its group has written all.
func (s *CacheShared) wrote(keys string, group any, count int) (whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.prefills[keys]
	p.left[group] -= count
	p.whole = p.whole || p.left[group] <= 0

	return p.whole
}

func (s *CacheShared) written(name string) *atomic.Int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prefilled == nil {
		s.prefilled = map[string]*atomic.Int64{}
	}
	if s.prefilled[name] == nil {
		s.prefilled[name] = &atomic.Int64{}
	}

	return s.prefilled[name]
}

func (s *CacheShared) pass(key passKey) (*Pass, error) {
	bench, err := s.benchmark(key.config)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.passes == nil {
		s.passes = map[passKey]*Pass{}
	}
	pass := s.passes[key]
	if pass == nil {
		pass = bench.Warmup()
		if key.timed {
			pass = bench.Timed()
		}
		s.passes[key] = pass
	}

	return pass, nil
}

func (s *CacheShared) benchmark(config RateConfig) (*Benchmark, error) {
	s.mu.Lock()
	if s.benchmarks == nil {
		s.benchmarks = map[RateConfig]*made{}
	}
	m := s.benchmarks[config]
	if m == nil {
		m = &made{}
		s.benchmarks[config] = m
	}
	s.mu.Unlock()
	m.once.Do(func() { m.bench, m.err = NewBenchmark(config) })

	return m.bench, m.err
}
