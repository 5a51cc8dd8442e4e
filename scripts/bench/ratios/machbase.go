package main

import "strconv"

// How many roll-up queries a second one client does, roughly, and how many times as many do many.
const machbaseSolo, machbaseCrowd = 8000, 3

// machbaseWork is how the roll-up query is run.
type machbaseWork struct {
	name string
	// reuse: its statement stays prepared. inGo: client.run does it, and no call of JavaScript.
	reuse, inGo bool
	// gogc is the GOGC of all programs; 0: each has its own.
	gogc int
}

// measureMachbase is the roll-up query through k6, beside a plain Go program over the same client
// library and, where client.run does it, the floors. The programs have garbage collections of
// their own, of what k6 sets (200), and of Go's default. Before the start line all collect,
// whatever it is. Beside them is k6 with Machbase's own client in C, machcli.
func measureMachbase(e *effort) (result, error) {
	var all []*contest
	for _, clients := range []int{1, 8, 64, 512} {
		for _, w := range []machbaseWork{{name: "reuse", reuse: true}, {name: "reuse, in Go", reuse: true, inGo: true}, {name: "no reuse"}} {
			all = append(all, w.contest(e, clients))
		}
	}
	for _, clients := range []int{8, 64} {
		for _, w := range []machbaseWork{{name: "reuse, GOGC 200", reuse: true, gogc: 200}, {name: "reuse, GOGC 100", reuse: true, gogc: 100}} {
			all = append(all, w.contest(e, clients))
		}
	}

	return compete(e, "a roll-up query of 60 rows from Machbase, with and without reuse of its prepared statement", all)
}

// contest is that of a number of clients.
func (w *machbaseWork) contest(e *effort, clients int) *contest {
	share := e.share(clients, machbaseSolo, machbaseCrowd)
	program, reason := "k6, query", because(whyCalls)
	switch {
	case w.inGo && clients < crowdFrom:
		program, reason = "k6, client.run", nil
	case w.inGo:
		program, reason = "k6, client.run", because(whyGoroutines)
	}
	c := &contest{
		work: w.name, clients: clients,
		k6:       entrant{program: program, run: collecting(w.gogc, func() (figures, error) { return runK6(clients, share, w.reuse, w.inGo) })},
		besideIt: w.besidePrograms(clients, share, reason),
	}
	if w.inGo {
		c.besideIt = append(c.besideIt, floors("machbase", clients, share)...)
	}
	if !w.reuse { // machcli keeps no statements
		c.besideIt = append(c.besideIt, entrant{
			program: "k6, machcli (C)", needs: k6Drivers, bounds: besidePeer(clients), run: func() (figures, error) {
				return stepFiguresBy(k6Drivers, "scenarios/stock-rollup.js", "stock-rollup", rollupSettings("machcli", clients, share, false, false))
			},
		})
	}

	return c
}

// besidePrograms are the plain Go programs. That for a crowd of clients has a twin, which lets the
// others go after each operation of one, as k6 does: there the bounds are the twin's.
func (w *machbaseWork) besidePrograms(clients, share int, reason why) []entrant {
	run := func(more ...string) func() (figures, error) {
		return collecting(w.gogc, nativeRun("native", clients, share, w.reuse, more...))
	}
	plain, bounds := entrant{program: "Go, native", run: run()}, besidePlain(clients, reason)
	if clients < crowdFrom {
		plain.bounds = bounds
	}
	all := []entrant{plain}
	if clients >= crowdFrom {
		all = append(all, entrant{program: "Go, in turns", bounds: bounds, run: run("-turns")})
	}

	return all
}

// collecting runs a program with a GOGC; with its own where that is 0.
func collecting(gogc int, run func() (figures, error)) func() (figures, error) {
	if gogc == 0 {
		return run
	}

	return within("GOGC", strconv.Itoa(gogc), run)
}
