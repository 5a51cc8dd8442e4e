// Command bench compares k6 with other programs that do the same work: memtier_benchmark,
// redis-benchmark, stockgo, nats bench, pgbench, ghz, and plain Go programs with the usual client
// libraries. It writes scripts/bench/README.md.
//
//	bench run     measures; continues where it stopped
//	bench page    writes the page from the last complete run
//	bench check   compares the last two runs on the same kind of machine
//	bench report  puts the tables of a scenario's report into pages
//	bench put     puts standard input into a page
//	bench plain   does a work in Go without k6; bench run starts it
//
// The servers run on one processor and everything else on another: start the servers with
// `taskset --cpu-list 0`. An unfinished run is in results/bench.json; complete ones are in
// scripts/bench/runs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

const ownPage, runs, unfinished = "scripts/bench/README.md", "scripts/bench/runs", "results/bench.json"

func main() {
	commands := map[string]func([]string) error{
		"run": measure, "page": writePage, "check": check, "report": putReports, "put": putInput, "plain": doPlainWork,
	}
	var err error
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		err = errors.New("the first argument must be run, page, check, report, put or plain")
	} else {
		err = commands[os.Args[1]](os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measure(args []string) error {
	flags := flag.NewFlagSet("bench run", flag.ContinueOnError)
	rounds := flags.Int("rounds", 7, "runs of each program; an interval needs 4")
	seconds := flags.Float64("seconds", 4, "measured time of a step, in seconds")
	only := flags.String("only", "", "only these stores, separated by commas; such a run is not recorded as complete")
	within := flags.Duration("for", 0, "start no program after this time, such as 50m; 0: no limit")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *rounds < 4 || *seconds <= 0 {
		return errors.New("-rounds must be 4 or more, and -seconds more than 0")
	}
	works, err := choose(*only)
	if err != nil {
		return err
	}
	r, err := openRun(*rounds, *seconds, works)
	if err != nil {
		return err
	}
	var until time.Time
	if *within > 0 {
		until = time.Now().Add(*within)
	}
	if err := r.measure(works, until); err != nil {
		return err
	}
	fmt.Print(r.tables())
	if *only != "" {
		return nil
	}
	if !r.complete(works) {
		return fmt.Errorf("the run is not complete: `make bench` goes on with it (%s)", unfinished)
	}
	if r.Memory, err = measureMemory(); err != nil {
		return err
	}
	if err := r.keep(); err != nil {
		return err
	}

	return writePage(nil)
}

func choose(only string) ([]*work, error) {
	all := works()
	if only == "" {
		return all, nil
	}
	named := strings.Split(only, ",")
	for _, name := range named {
		if !slices.ContainsFunc(all, func(w *work) bool { return w.store == name }) {
			return nil, fmt.Errorf("-only names %q, which is no store of the bench: %s", name, strings.Join(stores(), ", "))
		}
	}

	return slices.DeleteFunc(all, func(w *work) bool { return !slices.Contains(named, w.store) }), nil
}
