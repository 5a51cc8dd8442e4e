// Command ratios measures what k6 costs, beside other programs, and prints the medians.
//
//   - native: k6 and a native Go program in turns over this repository's own client library. It
//     compares operations a second, and the client's processor time for each, which holds on a
//     noisy machine.
//   - drivers: that library beside machgo, Machbase's own.
//   - crowd: k6 with 512 clients; core: operations of nothing; recording: one operation recorded.
//   - gates: how gates judge runs that are alike, and runs that are slower.
//   - fair: what 512 clients come to, each of them, beside memtier_benchmark, redis-benchmark, and
//     programs that exchange the same bytes and decode nothing.
//   - caches, nats, readbulk: gets from memcached, NATS, and ReadBulk beside ghz; streaming: its
//     cost.
//
// Each part replaces what stands of it in scripts/bench/README.md, with command, date, machine and
// versions. With -report it measures nothing, and puts the tables of a scenario's report there and
// into README.md; with -put, what another program has measured.
//
// It expects bin/k6, bin/ghz, bin/native, bin/caches, bin/floor and bin/nats in the folder, a
// loaded Machbase at MACHBASE_URL, a memcached at MEMCACHED_URL, a Redis at REDIS_URL, a NATS at
// NATS_URL, an InfluxDB 1 at INFLUXDB_URL, a gateway that answers at once at MXGW_URL with its key
// in MXGW_KEY, and an idle machine. memtier_benchmark, redis-benchmark and bin/floor-epoll are
// measured as well where they are installed.
//
// A ratio stands with its interval over the rounds, in brackets. Where that lies on both sides of
// the bound, the bound is undecided. The exit code is 1 where all of it is on the wrong side.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
)

func main() {
	rounds := flag.Int("rounds", 5, "how often each program runs each cell; medians are printed")
	operations := flag.Int("ops", 16000, fmt.Sprintf("operations of a cell, over all its clients; of caches %d times as many", cacheTimes))
	tries := flag.Int("tries", judgeTries, "how often the gates judge the same build, and one that is slower")
	only := flag.String("only", "", "only these parts, with commas: "+
		"native, drivers, crowd, core, recording, gates, caches, fair, nats, readbulk, streaming")
	clients := flag.String("clients", "", "only cells with these numbers of clients, with commas; of drivers, caches, fair and nats")
	page := flag.String("page", "scripts/bench/README.md",
		"the page whose parts are replaced by what was measured; none when empty or with -clients")
	report := flag.String("report", "",
		"measure nothing: put the tables of this report of a scenario, such as results/stock-rollup.json, into the page")
	put := flag.String("put", "", "measure nothing: put what comes in on standard input, or the tables of -report, into this part of the page")
	servers := flag.String("servers", "", "with -put: the servers that it was measured with, with commas")
	command := flag.String("command", "", "with -report and -put: the command that measured it, such as \"make stock-rollup\"")
	flag.Parse()

	var err error
	switch {
	case *report != "":
		err = putReport(*report, *put, *command, []string{*page, "README.md"})
	case *put != "":
		err = putText(os.Stdin, *page, *put, *command, *servers)
	default:
		err = bench(*rounds, *operations, *tries, *only, *clients, writerTo(*page))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
}

// writer keeps what a part gave, which was measured with these servers.
type writer func(part string, servers []string, r result) error

// writerTo writes into a page; nowhere without one.
func writerTo(page string) writer {
	return func(part string, servers []string, r result) error {
		if page == "" {
			return nil
		}
		caption, err := captionNow(benchCommand(os.Args[1:]), servers)
		if err != nil {
			return err
		}

		return putPart(page, part, r.String()+"\n\n"+caption)
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

func bench(rounds, operations, tries int, only, clients string, write writer) error {
	e, err := newEffort(rounds, operations, clients)
	if err != nil {
		return err
	}
	parts := []struct {
		name    string
		servers []string
		measure func() (result, error)
	}{
		{"native", []string{"machbase"}, func() (result, error) { return native(rounds, operations) }},
		{"drivers", []string{"machbase"}, func() (result, error) { return compareDrivers(e) }},
		{"crowd", []string{"machbase"}, func() (result, error) { return measureCrowd() }},
		{"core", nil, func() (result, error) { return measureCore() }},
		{"recording", nil, func() (result, error) { return measureRecording() }},
		{"gates", []string{"machbase"}, func() (result, error) { return judge(tries) }},
		{"caches", []string{"memcached", "redis"}, func() (result, error) { return measureCaches(e) }},
		{"fair", []string{"memcached", "redis"}, func() (result, error) { return measureFairness(e) }},
		{"nats", []string{"nats"}, func() (result, error) { return measureNats(e) }},
		{"readbulk", []string{"ghz"}, func() (result, error) { return measureReadBulk(rounds, operations) }},
		{"streaming", []string{"influxdb", "memcached"}, func() (result, error) { return measureStreaming(rounds) }},
	}
	names := make([]string, 0, len(parts))
	for _, part := range parts {
		names = append(names, part.name)
	}
	chosen := names
	if only != "" {
		chosen = strings.Split(only, ",")
	}
	for _, name := range chosen {
		if !slices.Contains(names, name) {
			return fmt.Errorf("-only is %q: it must be some of %s", only, strings.Join(names, ", "))
		}
	}

	fmt.Printf("%d cores, %s\n\n", runtime.NumCPU(), runtime.Version())
	held := true
	for _, part := range parts {
		if !slices.Contains(chosen, part.name) {
			continue
		}
		r, err := part.measure()
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Printf("%s\n\n", r)
		if clients == "" { // a table with some of its cells replaces none that has all
			if err := write(part.name, part.servers, r); err != nil {
				return fmt.Errorf("%s: %w", part.name, err)
			}
		}
		held = held && r.holds()
	}
	if !held {
		return fmt.Errorf("a bound does not hold, see above")
	}

	return nil
}

// result is what one part came to.
type result interface {
	fmt.Stringer
	holds() bool
}

// cells are the ratios to the native program.
type cells struct {
	rounds, operations int
	all                []*cell
}

func native(rounds, operations int) (*cells, error) {
	t := &cells{rounds: rounds, operations: operations}
	for _, reuse := range []bool{false, true} {
		for _, clients := range []int{1, 8, 16, 32, 64} {
			c, err := measure(rounds, clients, operations/clients, reuse, nil)
			if err != nil {
				return nil, err
			}
			t.all = append(t.all, c)
		}
	}
	for _, collecting := range []*int{alike(400), alike(100)} {
		for _, clients := range []int{8, 64} {
			c, err := measure(rounds, clients, operations/clients, true, collecting)
			if err != nil {
				return nil, err
			}
			t.all = append(t.all, c)
		}
	}

	return t, nil
}

func (t *cells) holds() bool {
	return !slices.ContainsFunc(t.all, func(c *cell) bool { return !c.holds() })
}

// String is the table.
func (t *cells) String() string {
	lines := make([]string, 0, 3+len(t.all))
	lines = append(lines,
		fmt.Sprintf("%d rounds, %d operations a cell, in turns; medians\n", t.rounds, t.operations),
		"| reuse | GOGC | clients | k6 ops/s | native ops/s | ratio                                    "+
			"| k6 us/op | native us/op | ratio                                    | k6 p99 ms | native p99 |",
		"|-------|------|--------:|---------:|-------------:|------------------------------------------"+
			"|---------:|-------------:|------------------------------------------|----------:|-----------:|",
	)
	for _, c := range t.all {
		lines = append(lines, c.String())
	}

	return strings.Join(lines, "\n")
}
