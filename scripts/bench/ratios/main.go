// Command ratios measures what k6 costs, beside other programs, and writes down how they stand.
//
// Its parts, each of which replaces what stands of it in scripts/bench/README.md:
//
//   - native: a query of Machbase beside a plain Go program over the same client library, and
//     beside programs that exchange the same bytes and decode nothing;
//   - drivers: that library beside machgo, Machbase's own;
//   - caches, pipelines, open: gets from memcached and Redis, beside plain programs, floors, and the
//     benchmarks in C that people use; cores: in a process on one core and on two;
//   - calls: gets that are a call of JavaScript each;
//   - nats, postgres, readbulk: NATS, PostgreSQL and ReadBulk, beside what people use for them;
//   - crowd: k6 with 512 clients; core: operations of nothing; recording: one operation recorded;
//   - streaming: what it costs to stream to InfluxDB.
//
// Rounds are kept, in results/bench, one by one. Each pass measures a round of every part, until
// all have -rounds more of them, or the time of -for is over. What was there of the same programs,
// machine and servers counts; else the part begins anew, and says so. With -rounds 0 nothing is
// measured, and the page is written from what there is. With -report it puts the tables of a
// scenario's report there and into README.md; with -put, what another program has measured.
//
// The front page has figures of some parts, within its sentences, which a pass replaces as well.
//
// What each bound has come to is kept in scripts/bench/runs.tsv, which is committed, and the page
// begins with how the runs of all days and machines have ended.
//
// It expects bin/k6, bin/ghz, bin/native, bin/caches, bin/empty, bin/floor and bin/nats in the
// folder, the servers' addresses in the environment as scripts/servers.sh sets them, and an idle
// machine. What else a part needs and is not installed, the part names as not run.
//
// A ratio stands with its interval over the rounds, in brackets. Where that lies on both sides of
// the bound, the bound is undecided. The exit code is 1 where all of it is on the wrong side, or a
// round could not be measured.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// What the bench writes in a checkout: the page of its figures, those of the front page, and what
// all runs came to.
const ownPage, frontPage, ownRuns = "scripts/bench/README.md", "README.md", "scripts/bench/runs.tsv"

func main() {
	var o order
	flag.IntVar(&o.rounds, "rounds", 5, "how many rounds are added to those that there are; 0: only write the page")
	flag.Float64Var(&o.seconds, "seconds", 1, "how long a step takes, roughly")
	flag.DurationVar(&o.within, "for", 0, "no round begins after this time, such as 50m; 0: all rounds are measured")
	only := flag.String("only", "", "only these parts, with commas: "+strings.Join(names(), ", "))
	clients := flag.String("clients", "", "measure only these numbers of clients, with commas")
	flag.StringVar(&o.folder, "kept", "results/bench", "the folder of the rounds that there are")
	page := flag.String("page", ownPage, "the page whose parts are replaced by what was measured; none when empty")
	flag.StringVar(&o.runs, "runs", ownRuns,
		"the file in which each run's judgements are kept, by day and machine; of it comes the part runs of the page")
	report := flag.String("report", "",
		"measure nothing: put the tables of this report of a scenario, such as results/stock-rollup.json, into the page")
	put := flag.String("put", "", "measure nothing: put what comes in on standard input, or the tables of -report, into this part of the page")
	servers := flag.String("servers", "", "with -put: the servers that it was measured with, with commas")
	command := flag.String("command", "", "with -report and -put: the command that measured it, such as \"make stock-rollup\"")
	flag.Parse()

	var err error
	switch {
	case *report != "":
		err = putReport(*report, *put, *command, []string{*page, frontPage})
	case *put != "":
		err = putText(os.Stdin, *page, *put, *command, *servers)
	default:
		o.page = *page
		if o.clients, err = numbersOf(*clients); err == nil {
			err = bench(&o, *only)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
}

// putText puts a text into a part of a page, which was measured by command with these servers.
func putText(text io.Reader, page, part, command, servers string) error {
	if command == "" {
		return errors.New("-put needs -command, the command that measured it")
	}
	raw, err := io.ReadAll(text)
	if err != nil {
		return err
	}
	caption, err := captionNow(command, strings.FieldsFunc(servers, func(r rune) bool { return r == ',' }))
	if err != nil {
		return err
	}

	return putPart(page, part, strings.TrimSpace(string(raw))+"\n\n"+caption)
}
