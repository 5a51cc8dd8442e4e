package cachebench

import (
	"sync"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/runs"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload/hitrate"
)

// Shared is what all clients of a module have in common. The zero value is ready.
type Shared struct {
	runs.Shared

	pools workload.Pools

	mu         sync.Mutex
	read       map[string]*asked // by what scripts wrote
	workloads  map[string]*workload.Workload
	prefilled  map[string]any // whose clients do it, or have done it
	passes     map[passKey]*hitrate.Pass
	benchmarks map[hitrate.Config]*made
}

// passKey is of which clients a pass is.
type passKey struct {
	target string
	config hitrate.Config
	timed  bool
	of     any
}

// made is a benchmark that its first user draws, while the others wait.
type made struct {
	once  sync.Once
	bench *hitrate.Benchmark
	err   error
}

// options returns what options mean that a script wrote: read once, as thousands of clients ask.
func (s *Shared) options(text string) (*asked, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.read[text]; a != nil {
		return a, nil
	}
	a := &asked{text, options{Options: workload.Defaults()}}
	if err := k6glue.DecodeOptions([]byte(text), &a.options); err != nil {
		return nil, err
	}
	if s.read == nil {
		s.read = map[string]*asked{}
	}
	s.read[text] = a

	return a, nil
}

// workload returns the one of the options, which all clients share. key is the options as the
// script wrote them, or the keys that are prefilled.
func (s *Shared) workload(key string, options workload.Options) (*workload.Workload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if work := s.workloads[key]; work != nil {
		return work, nil
	}
	work, err := workload.New(options, &s.pools)
	if err != nil {
		return nil, err
	}
	if s.workloads == nil {
		s.workloads = map[string]*workload.Workload{}
	}
	s.workloads[key] = work

	return work, nil
}

// prefills tells whether keys are to be prefilled by the clients of what asks: the first that does,
// and no other.
func (s *Shared) prefills(keys string, of any) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prefilled == nil {
		s.prefilled = map[string]any{}
	}
	if _, begun := s.prefilled[keys]; !begun {
		s.prefilled[keys] = of
	}

	return s.prefilled[keys] == of
}

// pass returns the one that all clients with the key share.
func (s *Shared) pass(key passKey) (*hitrate.Pass, error) {
	bench, err := s.benchmark(key.config)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.passes == nil {
		s.passes = map[passKey]*hitrate.Pass{}
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

func (s *Shared) benchmark(config hitrate.Config) (*hitrate.Benchmark, error) {
	s.mu.Lock()
	if s.benchmarks == nil {
		s.benchmarks = map[hitrate.Config]*made{}
	}
	m := s.benchmarks[config]
	if m == nil {
		m = &made{}
		s.benchmarks[config] = m
	}
	s.mu.Unlock()
	m.once.Do(func() { m.bench, m.err = hitrate.New(config) })

	return m.bench, m.err
}
