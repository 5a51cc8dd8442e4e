package main

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == umemArgument {
		fmt.Fprintln(os.Stderr, serveUmem(os.Args[2]))
		os.Exit(1)
	}
	if len(os.Args) == 3 && os.Args[1] == "clock" { // clock FOLDER: the overlay of make bin/k6-clock
		if err := writeClock(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "chaos:", err)
			os.Exit(1)
		}

		return
	}
	short, err := run(os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(2)
	case short > 0:
		os.Exit(1)
	}
}

type table struct {
	binary, clockBinary string
	scripts             string
	folder              string
	certificates        map[string]tls.Certificate
	trusted             string

	protocols []*protocol
	faults    []*fault
	servers   map[string]*server
	jobs      int

	ids atomic.Int64

	mu       sync.Mutex
	outcomes map[string]*outcome
}

type outcome struct {
	skipped string
	short   []string
	log     string
}

func key(p *protocol, f *fault) string { return p.name + "-" + f.name }

func run(args []string, out io.Writer) (short int, err error) {
	t, err := readFlags(args)
	if err != nil {
		return 0, err
	}
	if err := t.prepare(); err != nil {
		return 0, err
	}
	defer t.stopServers()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	began := time.Now()
	t.runCells(interrupted)

	return t.print(out, time.Since(began)), nil
}

func readFlags(args []string) (*table, error) {
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	only := flags.String("only", "", "protocols, separated by commas (default: all)")
	chosen := flags.String("fault", "", "faults, separated by commas (default: all)")
	fast := flags.Bool("fast", false, "only the faults of make test")
	list := flags.Bool("list", false, "list protocols and faults")
	t := &table{servers: map[string]*server{}, certificates: map[string]tls.Certificate{}, outcomes: map[string]*outcome{}}
	flags.StringVar(&t.binary, "k6", "bin/k6", "the tested k6")
	flags.StringVar(&t.clockBinary, "k6-clock", "bin/k6-clock", "k6 with an adjustable wall clock")
	flags.StringVar(&t.scripts, "scripts", "scripts/chaos/scripts", "the folder of the protocols' scripts")
	flags.StringVar(&t.folder, "results", "results/chaos", "the folder of the cells' logs and reports")
	flags.IntVar(&t.jobs, "jobs", 2*runtime.NumCPU(), "number of parallel cells")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("there are no arguments but options: %s", strings.Join(flags.Args(), " "))
	}
	var err error
	if t.protocols, err = choose("-only", *only, protocols(), func(p *protocol) string { return p.name }); err != nil {
		return nil, err
	}
	if t.faults, err = choose("-fault", *chosen, faults(), func(f *fault) string { return f.name }); err != nil {
		return nil, err
	}
	if *fast {
		t.faults = slices.DeleteFunc(t.faults, func(f *fault) bool { return !f.fast })
	}
	if *list {
		for _, f := range faults() {
			fmt.Printf("%-15s %s\n", f.name, f.what)
		}

		return nil, flag.ErrHelp
	}

	return t, t.absolute()
}

func (t *table) absolute() (err error) {
	for _, path := range []*string{&t.binary, &t.clockBinary, &t.scripts, &t.folder} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if _, err := os.Stat(t.binary); err != nil {
		return fmt.Errorf("%w: make it first", err)
	}
	if _, err := os.Stat(t.clockBinary); err != nil {
		t.clockBinary = ""
	}

	return nil
}

func choose[T any](option, names string, all []T, nameOf func(T) string) (chosen []T, err error) {
	if names == "" {
		return all, nil
	}
	known := make([]string, len(all))
	for i, one := range all {
		known[i] = nameOf(one)
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, fmt.Errorf("%s: there is no %q; there are %s", option, name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}

	return chosen, nil
}

func (t *table) prepare() error {
	if err := os.MkdirAll(t.folder, 0o755); err != nil { //nolint:gosec // results
		return err
	}
	if err := t.issue(); err != nil {
		return err
	}
	for _, p := range t.protocols {
		if t.servers[p.server] == nil && !p.cluster {
			s, err := t.find(p.server)
			if err != nil {
				return err
			}
			t.servers[p.server] = s
		}
		if p.prepare != nil {
			if err := p.prepare(t.servers[p.server]); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}

	return nil
}

func (t *table) issue() error {
	ours, err := newAuthority("chaos")
	if err != nil {
		return err
	}
	foreign, err := newAuthority("nobody knows me")
	if err != nil {
		return err
	}
	t.trusted = filepath.Join(t.folder, "authority.pem")
	if err := os.WriteFile(t.trusted, ours.pem(), 0o644); err != nil { //nolint:gosec // a certificate
		return err
	}
	tomorrow := time.Now().Add(24 * time.Hour)
	var problems [4]error
	t.certificates["good"], problems[0] = ours.issue("", tomorrow)
	t.certificates["expired"], problems[1] = ours.issue("", time.Now().Add(-time.Hour))
	t.certificates["foreign"], problems[2] = foreign.issue("", tomorrow)
	t.certificates["name"], problems[3] = ours.issue("elsewhere.chaos.test", tomorrow)

	return errors.Join(problems[:]...)
}

func (t *table) find(name string) (*server, error) {
	log := filepath.Join(t.folder, name+".log")
	if name == "umemcache" {
		return startUmem(log)
	}
	variable := map[string]string{
		"machbase": "MACHBASE_URL", "memcached": "MEMCACHED_URL", "mxgateway": "MXGW_URL", "influxdb": "INFLUXDB_URL",
		"nats": "NATS_URL", "redis": "REDIS_URL",
	}[name]

	return fromServersSh(name, variable, log)
}

func (t *table) stopServers() {
	for _, s := range t.servers {
		s.stop()
	}
}

func (t *table) runCells(interrupted <-chan os.Signal) {
	var quick, alone []*cell
	for i, f := range t.faults {
		for j, p := range t.protocols {
			if why := f.skip(p, t.clockBinary); why != "" {
				t.outcomes[key(p, f)] = &outcome{skipped: why}
				continue
			}
			c := t.newCell(p, f, fmt.Sprintf("127.53.%d.%d", i+1, j+1))
			if f.disturbs {
				alone = append(alone, c)
			} else {
				quick = append(quick, c)
			}
		}
	}
	cells := make(chan *cell)
	go func() {
		defer close(cells)
		for _, c := range append(quick, alone...) {
			select {
			case cells <- c:
			case <-interrupted:
				return
			}
		}
	}()
	var workers sync.WaitGroup
	for range t.jobs {
		workers.Go(func() {
			for c := range cells {
				o := &outcome{short: c.run(), log: c.log()}
				if !c.protocol.cluster && c.server.dead() { // without a fault in this cell; another cell tests k6 without a server
					if err := c.server.revive(); err != nil {
						o.short = append(o.short, err.Error())
					} else {
						o.short = t.newCell(c.protocol, c.fault, c.nameServer).run()
					}
				}
				t.mu.Lock()
				t.outcomes[key(c.protocol, c.fault)] = o
				t.mu.Unlock()
			}
		})
	}
	workers.Wait()
}

func (t *table) newCell(p *protocol, f *fault, nameServer string) *cell {
	s := t.servers[p.server]
	if p.cluster {
		s = &server{name: p.server, network: "tcp"}
	}

	return &cell{
		table: t, protocol: p, fault: f, server: s, nameServer: nameServer,
		id: fmt.Sprintf("%s-%s-%d-%d", p.name, f.name, os.Getpid(), t.ids.Add(1)), folder: filepath.Join(t.folder, key(p, f)),
	}
}

func (t *table) print(out io.Writer, took time.Duration) (short int) {
	width := 0
	for _, f := range t.faults {
		width = max(width, len(f.name))
	}
	line := func(name string, cells func(*protocol) string) {
		_, _ = fmt.Fprintf(out, "%-*s", width, name)
		for _, p := range t.protocols {
			_, _ = fmt.Fprintf(out, "  %-*s", max(5, len(p.name)), cells(p))
		}
		_, _ = fmt.Fprintln(out)
	}
	line("", func(p *protocol) string { return p.name })
	var held, missing int
	reasons := map[string][]string{}
	var said []string
	for _, f := range t.faults {
		line(f.name, func(p *protocol) string {
			o := t.outcomes[key(p, f)]
			switch {
			case o == nil:
				missing++

				return "?"
			case o.skipped != "":
				reasons[o.skipped] = append(reasons[o.skipped], key(p, f))

				return "-"
			case len(o.short) > 0:
				short++
				said = append(said, fmt.Sprintf("%s (%s)\n    %s\n    %s", key(p, f), f.what, strings.Join(o.short, "\n    "), o.log))

				return "SHORT"
			}
			held++

			return "ok"
		})
	}
	_, _ = fmt.Fprintf(out, "\n%d cells held, %d fell short, in %v\n", held, short, took.Round(time.Second))
	for _, name := range sortedKeys(t.servers) {
		if s := t.servers[name]; s.deaths > 0 {
			_, _ = fmt.Fprintf(out, "%s has ended by itself, %d times: its cells were run again (%s.died)\n", name, s.deaths, s.log)
		}
	}
	for _, why := range sortedKeys(reasons) {
		_, _ = fmt.Fprintf(out, "-: %s (%s)\n", why, strings.Join(reasons[why], ", "))
	}
	for _, one := range said {
		_, _ = fmt.Fprintf(out, "\n%s\n", one)
	}
	if missing > 0 {
		_, _ = fmt.Fprintf(out, "%d cells were not run: interrupted\n", missing)
		short += missing
	}

	return short
}

func sortedKeys[T any](of map[string]T) []string {
	names := make([]string, 0, len(of))
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)

	return names
}
