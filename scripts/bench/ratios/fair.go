package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// The bounds that the clients of k6 have to hold beside the peers' benchmarks in C.
const (
	leastOfPeer   = 1.3 // of its rate
	mostOfPeer    = 1.0 // of its p99
	mostOfPeerCPU = 1.0 // of its processor time
)

// fairness is what gets come to for a client, and not for all of them together.
type fairness struct {
	rounds int
	all    []*shares
}

// shares are the medians of gets from a server for one number of clients.
type shares struct {
	server             string
	clients, perClient int
	k6                 figures
	others             []peer
}

// peer is what another program has come to.
type peer struct {
	program string
	figures
	// bounds are what k6 has to hold beside it.
	bounds []named
}

// named is a figure with its bound.
type named struct {
	name   string
	figure func(figures) float64
	bound
}

// beside says how k6 stands to the program, by its bounds or, where there are none, in all figures.
func (s *peer) beside(k6 figures) (all []bounded, text string) {
	said := make([]string, 0, len(ofPeer))
	for _, b := range s.bounds {
		j := bounded{k6.over(s.figures, b.figure), b.bound}
		all = append(all, j)
		said = append(said, b.name+" "+j.String())
	}
	if len(s.bounds) == 0 {
		for _, b := range ofPeer {
			said = append(said, b.name+" "+k6.over(s.figures, b.figure).String())
		}
	}

	return all, strings.Join(said, "; ")
}

// ofPeer are the bounds beside a peer's benchmark.
var ofPeer = []named{ //nolint:gochecknoglobals // a constant
	{"rate", rate, atLeast(leastOfPeer)}, {"p99", p99, atMost(mostOfPeer)}, {"us", processor, atMost(mostOfPeerCPU)},
}

// contender is a program that does the same gets. It is measured where its binary is installed.
type contender struct {
	program, binary string
	bounds          []named
	gets            func(server string, clients, perClient int) func() (figures, error)
}

// The floors: the same bytes out and in as k6's, and nothing decoded.
const (
	floorGo = "bin/floor"
	floorC  = "bin/floor-epoll"
)

// contenders are the programs beside k6 for a server.
func contenders(server string) []contender {
	floors := []contender{
		{program: "floor, Go", binary: floorGo, gets: floorGets},
		{program: "floor, C", binary: floorC, gets: epollGets},
	}
	peers := []contender{{program: memtier, binary: memtier, bounds: ofPeer, gets: memtierGets}}
	if server == "redis" {
		return append(append(floors, contender{program: redisBenchmark, binary: redisBenchmark, bounds: ofPeer, gets: redisGets}), peers...)
	}
	wire := contender{program: "Go, goroutines", binary: "bin/caches", gets: func(_ string, clients, perClient int) func() (figures, error) {
		return loopGets("wire", clients, perClient, "one")
	}}

	return append(append([]contender{wire}, floors...), peers...)
}

func measureFairness(e effort) (*fairness, error) {
	f := &fairness{rounds: e.rounds}
	for _, server := range []string{"memcached", "redis"} {
		for _, clients := range e.of(8, 64, 512) {
			s, err := measureShares(server, clients, e.operations*cacheTimes*cacheCrowd/clients, e.rounds)
			if err != nil {
				return nil, fmt.Errorf("%s, %d clients: %w", server, clients, err)
			}
			f.all = append(f.all, s)
		}
	}

	return f, nil
}

func measureShares(server string, clients, perClient, rounds int) (*shares, error) {
	s := &shares{server: server, clients: clients, perClient: perClient}
	programs := []func() (figures, error){k6Gets(server, clients, perClient, "get:1")}
	for _, c := range contenders(server) {
		if _, err := exec.LookPath(c.binary); err != nil {
			continue
		}
		programs = append(programs, c.gets(server, clients, perClient))
		s.others = append(s.others, peer{program: c.program, bounds: c.bounds})
	}
	medians, err := allInTurns(rounds, programs...)
	if err != nil {
		return nil, err
	}
	s.k6 = medians[0]
	for i := range s.others {
		s.others[i].figures = medians[1+i]
	}

	return s, nil
}

// addressOf is the host and the port of a cache.
func addressOf(server string) (host, port string, err error) {
	name := strings.ToUpper(server) + "_URL"
	address := strings.TrimPrefix(os.Getenv(name), "redis://")
	if host, port, err = net.SplitHostPort(address); err != nil {
		err = errors.Join(fmt.Errorf("%s must be host:port", name), err)
	}

	return host, port, err
}

// floorGets is a run of the floor in Go.
func floorGets(server string, clients, perClient int) func() (figures, error) {
	return func() (figures, error) {
		host, port, err := addressOf(server)
		if err != nil {
			return figures{}, err
		}

		return runProgram("floor", "-server="+server, "-addr="+net.JoinHostPort(host, port),
			"-clients="+strconv.Itoa(clients), "-ops="+strconv.Itoa(perClient))
	}
}

// epollGets is a run of the floor in C.
func epollGets(server string, clients, perClient int) func() (figures, error) {
	return func() (figures, error) {
		host, port, err := addressOf(server)
		if err != nil {
			return figures{}, err
		}
		cmd := exec.Command(floorC, server, host, port, strconv.Itoa(clients), strconv.Itoa(perClient), "1000")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return figures{}, fmt.Errorf("%s: %w", floorC, err)
		}

		return parseProgram(out)
	}
}

func (s *shares) holds() bool {
	return !slices.ContainsFunc(s.others, func(other peer) bool {
		bounds, _ := other.beside(s.k6)

		return !noneCrossed(bounds...)
	})
}

func (f *fairness) holds() bool {
	return !slices.ContainsFunc(f.all, func(s *shares) bool { return !s.holds() })
}

// lines are those of the table.
func (s *shares) lines() []string {
	line := func(program string, f figures, beside string) string {
		return fmt.Sprintf("| %-9s | %7d | %-17s | %8.0f | %7.2f | %7.3f | %7.3f | %7s | %7s | %s |", s.server, s.clients, program,
			f.OpsPerSecond, f.CPUMicros, f.P50Ms, f.P99Ms, known(f.ClientSpread, 2), known(f.ClientWaitMs, 3), beside)
	}
	lines := make([]string, 0, 1+len(s.others))
	lines = append(lines, line("k6, client.run", s.k6, ""))
	for _, other := range s.others {
		_, text := other.beside(s.k6)
		lines = append(lines, line(other.program, other.figures, text))
	}

	return lines
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
		fmt.Sprintf("gets of 100 bytes: %d rounds, in turns; medians. min/max is the shortest client time over "+
			"the longest,\nand client wait the mean time from when the machine had an answer to when its client read it\n", f.rounds),
		"| server    | clients | program           |    ops/s |   us/op |  p50 ms |  p99 ms | min/max | wait ms | k6 over it |",
		"|-----------|--------:|-------------------|---------:|--------:|--------:|--------:|--------:|--------:|------------|",
	}
	for _, s := range f.all {
		lines = append(lines, s.lines()...)
	}

	return strings.Join(lines, "\n")
}
