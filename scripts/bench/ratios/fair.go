package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// The bounds that the clients of k6 have to hold beside memtier_benchmark, where it is installed.
const (
	leastOfMemtier = 1.3 // of its rate
	mostOfMemtier  = 1.0 // of its p99
	mostMemtierCPU = 1.0 // of its processor time
)

// fairness is what gets come to for a client, and not for all of them together.
type fairness struct {
	rounds int
	all    []*shares
}

// shares are the medians of gets for one number of clients.
type shares struct {
	clients, perClient int
	k6, loop           figures
	memtier            *figures // nil where it is not installed
}

func measureFairness(e effort) (*fairness, error) {
	f := &fairness{rounds: e.rounds}
	for _, clients := range e.of(8, 64, 512) {
		s := &shares{clients: clients, perClient: e.operations * cacheTimes * cacheCrowd / clients}
		programs := []func() (figures, error){
			k6Gets("memcached", clients, s.perClient, "get:1"),
			loopGets("wire", clients, s.perClient, "one"),
		}
		if _, err := exec.LookPath(memtier); err == nil {
			programs = append(programs, memtierGets(clients, s.perClient))
		}
		medians, err := allInTurns(e.rounds, programs...)
		if err != nil {
			return nil, fmt.Errorf("%d clients: %w", clients, err)
		}
		s.k6, s.loop = medians[0], medians[1]
		if len(medians) > 2 {
			s.memtier = &medians[2]
		}
		f.all = append(f.all, s)
	}

	return f, nil
}

// ofMemtier is how k6 stands to memtier_benchmark, which was measured.
func (s *shares) ofMemtier() (speed, late, spent bounded) {
	return bounded{s.k6.over(*s.memtier, rate), atLeast(leastOfMemtier)}, bounded{s.k6.over(*s.memtier, p99), atMost(mostOfMemtier)},
		bounded{s.k6.over(*s.memtier, processor), atMost(mostMemtierCPU)}
}

func (s *shares) holds() bool {
	if s.memtier == nil {
		return true
	}
	speed, late, spent := s.ofMemtier()

	return noneCrossed(speed, late, spent)
}

func (f *fairness) holds() bool {
	return !slices.ContainsFunc(f.all, func(s *shares) bool { return !s.holds() })
}

// lines are those of the table.
func (s *shares) lines() []string {
	line := func(program string, f figures, ratio string) string {
		return fmt.Sprintf("| %7d | %-17s | %8.0f | %7.2f | %7.3f | %7.3f | %7s | %7s | %s |", s.clients, program,
			f.OpsPerSecond, f.CPUMicros, f.P50Ms, f.P99Ms, known(f.ClientSpread, 2), known(f.ClientWaitMs, 3), ratio)
	}
	k6, loop := line("k6, client.run", s.k6, ""), line("Go, goroutines", s.loop, "")
	if s.memtier == nil {
		return []string{k6, loop}
	}
	speed, late, spent := s.ofMemtier()
	beside := fmt.Sprintf("rate %s; p99 %s; us %s", speed, late, spent)

	return []string{k6, loop, line(memtier, *s.memtier, beside)}
}

// known is a figure, or a dash where a program does not tell it.
func known(figure float64, digits int) string {
	if figure == 0 {
		return "–"
	}

	return strconv.FormatFloat(figure, 'f', digits, 64)
}

// String is a table.
func (f *fairness) String() string {
	lines := []string{
		fmt.Sprintf("gets of 100 bytes from memcached: %d rounds, in turns; medians. min/max is the shortest client time over "+
			"the longest,\nand client wait the mean time from when the machine had an answer to when its client read it\n", f.rounds),
		"| clients | program           |    ops/s |   us/op |  p50 ms |  p99 ms | min/max | wait ms | k6 over it |",
		"|--------:|-------------------|---------:|--------:|--------:|--------:|--------:|--------:|------------|",
	}
	for _, s := range f.all {
		lines = append(lines, s.lines()...)
	}

	return strings.Join(lines, "\n")
}
