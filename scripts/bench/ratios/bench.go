package main

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// result is what one part came to.
type result interface {
	fmt.Stringer
	// judgements are those of all its bounds.
	judgements() []judgement
}

// fronted is a result of which the front page has figures, between marks of the part's name; none
// when they are empty.
type fronted interface{ front() string }

// unmeasured is what a part says that has no round.
const unmeasured = "Not measured yet."

// part is a part of the page.
type part struct {
	name string
	// servers are those that it is measured with, and the tools that have versions of their own.
	servers []string
	// prepare is done before each pass; nil for nothing.
	prepare func() error
	measure func(*effort) (result, error)
}

func parts() []part {
	return []part{
		{"native", []string{"machbase"}, loadStock, measureMachbase},
		{"drivers", []string{"machbase"}, loadStock, compareDrivers},
		{"crowd", []string{"machbase"}, loadStock, measureCrowd},
		{"core", nil, nil, measureCore},
		{"memory", []string{"redis"}, nil, measureMemory},
		{"recording", nil, nil, measureRecording},
		{"caches", []string{"memcached", "redis", memtier, mutilate, mcCrusher, redisBenchmark}, nil, measureCaches},
		{"pipelines", []string{"memcached", "redis", memtier, mcCrusher, redisBenchmark}, nil, measurePipelines},
		{"open", []string{"memcached", memtier}, nil, measureOpenLoop},
		{"cores", []string{"memcached", memtier, mcCrusher}, nil, measureCores},
		{"calls", []string{"memcached", "redis"}, nil, measureCalls},
		{"nats", []string{"nats", "nats bench"}, nil, measureNats},
		{"postgres", []string{pgbench}, fillPostgres, measurePostgres},
		{"readbulk", []string{"ghz"}, nil, measureReadBulk},
		{"streaming", []string{"influxdb", "memcached"}, nil, measureStreaming},
	}
}

func names() []string {
	var all []string
	for _, p := range parts() {
		all = append(all, p.name)
	}

	return all
}

// stockFor is how long the stock benchmark's data are taken to be there, of the hour that they are.
const stockFor = 30 * time.Minute

// stockLoaded is when that was done.
var stockLoaded time.Time //nolint:gochecknoglobals // of the server that this process uses

// loadStock loads the stock benchmark's data, or what is missing of them by now.
func loadStock() error {
	if time.Since(stockLoaded) < stockFor {
		return nil
	}
	began := time.Now()
	_, _, err := output(command(k6, "run", "--quiet", "scenarios/stock-load.js"))
	if err == nil {
		stockLoaded = began
	}

	return err
}

// order is what is to be measured.
type order struct {
	rounds       int
	seconds      float64
	within       time.Duration
	clients      []int
	folder, page string
	// runs is the file of what runs have come to.
	runs string
}

// bench measures the parts, round by round: some of every part are there before others have more.
func bench(o *order, only string) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	if o.rounds < 0 || o.seconds <= 0 {
		return errors.New("-rounds must be 0 or more, and -seconds more than 0")
	}
	fmt.Printf("%d cores, %s\n\n", runtime.NumCPU(), runtime.Version())
	var until time.Time
	if o.within > 0 {
		until = time.Now().Add(o.within)
	}
	chosen = slices.DeleteFunc(chosen, func(p part) bool {
		_, err := exec.LookPath(pgbench)
		without := err != nil && slices.Contains(p.servers, pgbench)
		if without {
			fmt.Printf("%s is not run: %s, which writes its rows, is not installed\n", p.name, pgbench)
		}

		return without
	})
	efforts := make([]*effort, len(chosen))
	for i, p := range chosen {
		if efforts[i], err = o.effort(&p, until); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	results, err := o.measure(chosen, efforts, until)
	if err != nil {
		return err
	}

	return conclude(chosen, efforts, results)
}

// measure measures the passes that are ordered. A part with a bound that is crossed then gets as
// many again, and what all of them say counts: five rounds cross a bound on which the truth lies
// once in 32 benches, so that chance crosses some of hundreds of bounds in each.
func (o *order) measure(chosen []part, efforts []*effort, until time.Time) ([]result, error) {
	results := make([]result, len(chosen))
	passes := func(of []int, first, last int) error {
		for pass := first; pass <= last; pass++ {
			for _, i := range of {
				if late := !until.IsZero() && time.Now().After(until); late && results[i] != nil {
					continue
				}
				var err error
				if results[i], err = o.pass(&chosen[i], efforts[i], pass, last); err != nil {
					return fmt.Errorf("%s: %w", chosen[i].name, err)
				}
			}
		}

		return nil
	}
	all := make([]int, len(chosen))
	for i := range all {
		all[i] = i
	}
	if err := passes(all, 1, max(o.rounds, 1)); err != nil {
		return nil, err
	}
	inDoubt := slices.DeleteFunc(all, func(i int) bool { return holds(results[i]) })

	return results, passes(inDoubt, o.rounds+1, 2*o.rounds)
}

// choose are the parts that are named, with commas; all when there is no name.
func choose(only string) ([]part, error) {
	if only == "" {
		return parts(), nil
	}
	named := strings.Split(only, ",")
	for _, name := range named {
		if !slices.Contains(names(), name) {
			return nil, fmt.Errorf("-only is %q: it must be some of %s", only, strings.Join(names(), ", "))
		}
	}

	return slices.DeleteFunc(parts(), func(p part) bool { return !slices.Contains(named, p.name) }), nil
}

// effort opens the rounds that there are of a part.
func (o *order) effort(p *part, until time.Time) (*effort, error) {
	var now *stamp
	var err error
	if o.rounds > 0 {
		if now, err = stampNow(p.servers, o.seconds); err != nil {
			return nil, err
		}
	}
	kept, anew, err := openLedger(o.folder, p.name, now)
	if anew != "" {
		fmt.Printf("%s begins anew: %s\n", p.name, anew)
	}

	return &effort{seconds: o.seconds, clients: o.clients, until: until, kept: kept}, err
}

// pass measures one more round of a part, the pass-th of so many, and writes it to the page.
func (o *order) pass(p *part, e *effort, pass, of int) (result, error) {
	began := time.Now()
	if o.rounds > 0 {
		e.next()
		if p.prepare != nil && (e.until.IsZero() || began.Before(e.until)) {
			if err := p.prepare(); err != nil {
				return nil, err
			}
		}
	}
	r, err := p.measure(e)
	if err != nil {
		return nil, err
	}
	if o.rounds > 0 {
		fmt.Printf("%s: pass %d of %d took %s\n", p.name, pass, of, time.Since(began).Round(time.Second))
	}
	if o.page == "" || e.kept.last.IsZero() {
		return r, nil
	}

	if err := o.record(p.name, e.kept, r.judgements()); err != nil {
		return nil, err
	}

	if err := putPart(o.page, p.name, r.String()+"\n\n"+e.kept.caption()); err != nil {
		return nil, err
	}
	if f, is := r.(fronted); is && o.page == ownPage {
		if figures := f.front(); figures != "" {
			return r, putFigure(frontPage, p.name, figures)
		}
	}

	return r, nil
}

// conclude prints what all parts came to. It fails where a bound is crossed, or a round is missing.
func conclude(chosen []part, efforts []*effort, results []result) error {
	var err error
	for i, r := range results {
		fmt.Printf("\n%s\n\n%s\n", chosen[i].name, r)
		if n := len(efforts[i].failures); n > 0 {
			err = errors.Join(err, fmt.Errorf("%s: %d rounds could not be measured, the first one: %w", chosen[i].name, n, efforts[i].failures[0]))
		}
		if !holds(r) {
			err = errors.Join(err, fmt.Errorf("%s: a bound is crossed, see above", chosen[i].name))
		}
	}

	return err
}
