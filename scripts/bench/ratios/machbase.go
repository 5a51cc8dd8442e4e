package main

import (
	"os"
	"strconv"
)

// How many roll-up queries a second one client does, roughly, and how many times as many do many.
const machbaseSolo, machbaseCrowd = 4500, 3

// measureMachbase is the roll-up query through k6, beside a plain Go program over the same client
// library and, with prepared statements, the floors. The programs have garbage collections of
// their own, of what k6 sets where its heap is small (400), and of Go's default. Before the start
// line all collect, whatever it is.
func measureMachbase(e *effort) (result, error) {
	var all []*contest
	of := func(work string, clients int, reuse bool, gogc int) *contest {
		share := e.share(clients, machbaseSolo, machbaseCrowd)
		c := &contest{
			work: work, clients: clients,
			k6: entrant{program: "k6, query", run: collecting(gogc, func() (figures, error) { return runK6(clients, share, reuse) })},
			besideIt: []entrant{
				{program: "Go, native", bounds: besidePlain(clients, whyCalls), run: collecting(gogc, nativeRun("native", clients, share, reuse))},
			},
		}
		if reuse && gogc == 0 {
			c.besideIt = append(c.besideIt, floors("machbase", clients, share, whyCalls)...)
		}

		return c
	}
	for _, clients := range []int{1, 8, 64, 512} {
		all = append(all, of("reuse", clients, true, 0), of("no reuse", clients, false, 0))
	}
	for _, clients := range []int{8, 64} {
		all = append(all, of("reuse, GOGC 400", clients, true, 400), of("reuse, GOGC 100", clients, true, 100))
	}

	return compete(e, "a roll-up query of 60 rows from Machbase, with and without reuse of its prepared statement", all)
}

// collecting runs a program with a GOGC; with its own where that is 0.
func collecting(gogc int, run func() (figures, error)) func() (figures, error) {
	if gogc == 0 {
		return run
	}

	return func() (figures, error) {
		if err := os.Setenv("GOGC", strconv.Itoa(gogc)); err != nil {
			return figures{}, err
		}
		defer os.Unsetenv("GOGC") //nolint:errcheck // it is there

		return run()
	}
}
