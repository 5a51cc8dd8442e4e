// Native is the reference that the k6 build is measured against: the same
// operation on the same client library in a plain Go program. What k6 costs is
// the difference between the two. The library is the one that k6 has by default,
// or machgo, Machbase's own: what a library costs is the difference between
// those.
//
// It does the work of stockgo in machbase/neo-tester at commit b95bed6, and
// measures more of it: one database handle per client (a shared one is a data
// race), connecting and warm-up outside of the measured time, failures apart,
// percentiles, and the CPU time and allocations of this process.
//
//	go run ./native -url machbase://sys:manager@127.0.0.1:5656 -driver machgo -clients 8 -ops 2000 -reuse
//
// The tables and their rows must be there already. The exit code is 0 when all
// operations succeeded, 1 when one failed or the server could not be used, 2
// for a wrong flag.
package main

import "github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"

func main() {
	crew.Main("native", func(args []string, getenv func(string) string) (crew.Program, error) {
		s, err := parseFlags(args, getenv)

		return &s, err
	})
}

// Run implements crew.Program.
func (s *settings) Run() (*crew.Result, error) {
	return crew.Run(s.Clients, s.Ops, s.Warmup, s.connect)
}
