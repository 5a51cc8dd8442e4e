package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The bounds of what a client adds to k6's largest resident memory, in MB (1,000,000 bytes): all of
// one of cache-sweep, and what one of the empty sweep has above a VU of k6's own; and that of all
// of the largest cache-sweep.
const (
	mostCacheClient = 0.2
	mostAboveVU     = 0.02
	mostOfAll       = 1 << 30
)

// The sweeps.
const cacheSweep, emptySweep, bareVUs = "cache-sweep", "empty", "bare VUs"

// memoryOperations is how many operations each client of the empty sweep does.
const memoryOperations = 100

// memory is what clients by the thousand cost k6: sweep by sweep, by numbers of clients.
type memory struct {
	sweeps []memorySweep
}

// memorySweep is one of the sweeps.
type memorySweep struct {
	name  string
	cells []memoryCell
}

// memoryCell is a number of clients, round by round.
type memoryCell struct {
	clients int
	rounds  []memoryRound
}

// memoryRound is one round: operations that failed, and k6's largest resident memory in bytes.
type memoryRound struct {
	Failed int
	Memory int64
}

// measureMemory runs cache-sweep with Redis, the sweep of nothing, and k6 without any module with
// ever more clients. Steps are short: what clients take is there when they are connected and have
// done some operations.
func measureMemory(e *effort) (result, error) {
	m := &memory{[]memorySweep{{name: cacheSweep}, {name: emptySweep}, {name: bareVUs}}}
	for i := range m.sweeps {
		s := &m.sweeps[i]
		for _, clients := range []int{1, 512, 1000, 5000} {
			rounds, err := again(e, fmt.Sprintf("%s %d", s.name, clients), clients, func(int) (memoryRound, error) {
				return runSweep(s.name, clients)
			})
			if err != nil {
				return nil, err
			}
			s.cells = append(s.cells, memoryCell{clients, rounds})
		}
	}

	return m, nil
}

// runSweep runs one of the sweeps.
func runSweep(name string, clients int) (memoryRound, error) {
	if name == bareVUs {
		_, used, err := output(command(k6, "run", "--quiet", "-e", fmt.Sprintf("CLIENTS=%d", clients), "scripts/bench/bare.js"))

		return memoryRound{Memory: int64(used.memoryMB * (1 << 20))}, err
	}
	script, settings := "scripts/bench/empty.js", map[string]string{"ITERATIONS": fmt.Sprint(memoryOperations)}
	if name == cacheSweep {
		script, settings = "scenarios/cache-sweep.js", map[string]string{"TARGET": "redis", "DURATION": "2s", "WARMUP": "1s"}
	}
	settings["CLIENTS"] = fmt.Sprint(clients)
	r, used, err := readRun(k6, script, name, settings)
	if err != nil {
		return memoryRound{}, err
	}
	round := memoryRound{Memory: used}
	for _, s := range r.Steps {
		round.Failed += s.Failed
	}

	return round, nil
}

// largest is the largest resident memory of all rounds, in bytes.
func (c *memoryCell) largest() int64 {
	return slices.MaxFunc(c.rounds, func(a, b memoryRound) int { return cmp.Compare(a.Memory, b.Memory) }).Memory
}

// adds is what a client adds to what one has, in MB; false where that is not known.
func (s *memorySweep) adds(c *memoryCell) (megabytes float64, known bool) {
	one := &s.cells[0]
	if c.clients == one.clients || len(c.rounds) == 0 || len(one.rounds) == 0 {
		return 0, false
	}

	return float64(c.largest()-one.largest()) / float64(c.clients-one.clients) / 1e6, true
}

// judged is the bound of what a client adds, by cache-sweep or above a VU of k6's own; false where
// there is none, or where it is not known.
func (m *memory) judged(s *memorySweep, i int) (j judgement, known bool) {
	adds, known := s.adds(&s.cells[i])
	row := fmt.Sprintf("%s, %d", s.name, s.cells[i].clients)
	if !known || s.name == cacheSweep {
		return atMost(mostCacheClient).judged(row, "MB a client", adds), known
	}
	bare := &m.sweeps[len(m.sweeps)-1]
	of, known := bare.adds(&bare.cells[i])

	return atMost(mostAboveVU).judged(row, "MB above a bare VU", adds-of), known && s.name == emptySweep
}

func (m *memory) judgements() (all []judgement) {
	for i := range m.sweeps {
		s := &m.sweeps[i]
		for j := range s.cells {
			c := &s.cells[j]
			if len(c.rounds) == 0 {
				continue
			}
			row := fmt.Sprintf("%s, %d", s.name, c.clients)
			all = append(all, atMost(0).judged(row, "failed", c.failed()))
			if judged, known := m.judged(s, j); known {
				all = append(all, judged)
			}
			if s.name == cacheSweep {
				all = append(all, atMost(mostOfAll/1e6).judged(row, "MB", float64(c.largest())/1e6))
			}
		}
	}

	return all
}

// failed is how many operations of one round failed at most.
func (c *memoryCell) failed() float64 {
	return slices.Max(valuesOf(c.rounds, func(r memoryRound) float64 { return float64(r.Failed) }))
}

// String says what it came to.
func (m *memory) String() string {
	var b strings.Builder
	for i := range m.sweeps {
		s := &m.sweeps[i]
		for j := range s.cells {
			c := &s.cells[j]
			if len(c.rounds) == 0 {
				continue
			}
			if b.Len() == 0 {
				b.WriteString("| sweep       | clients | rounds | resident memory, MB | MB a client |\n" +
					"|-------------|--------:|-------:|--------------------:|------------:|\n")
			}
			each := "–"
			if adds, known := s.adds(c); known {
				each = fmt.Sprintf("%.4f", adds)
			}
			switch judged, known := m.judged(s, j); {
			case known && s.name == cacheSweep:
				each = judged.shown
			case known:
				each += ", above a bare VU " + judged.shown
			}
			fmt.Fprintf(&b, "| %-11s | %7d | %6d | %19.0f | %s |\n", s.name, c.clients, len(c.rounds), float64(c.largest())/1e6, each)
		}
	}
	if b.Len() == 0 {
		return unmeasured
	}

	return b.String() + fmt.Sprintf("\nMB a client: the largest memory of all rounds less that with one client, by the clients more.\n"+
		"All of cache-sweep: at most %d MB.\n"+
		"Bare VUs are those of k6 without any module of ours, of which each has a JavaScript runtime: no extension takes less.",
		mostOfAll/1_000_000)
}
