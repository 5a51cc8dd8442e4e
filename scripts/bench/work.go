package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"time"
)

// work is what k6 and other programs do to a store.
type work struct {
	store, name string
	clients     []int
	// address names the environment variable with the server's address; empty where there is none.
	address string
	// prepare makes what all programs need, once; nil for nothing.
	prepare func() error
	// programs are those that do the work. All others are compared with the first.
	programs []program
}

// program does a work.
type program struct {
	name string
	// needs is a command that may be missing; empty where nothing is needed.
	needs string
	// paced: it can run at a given rate.
	paced bool
	// own: it has a warm-up and tells the processor times of what it measures.
	own bool
	run func(load) (figures, error)
}

// load is what a program is asked for.
type load struct {
	clients int
	seconds float64
	// rate is the operations a second of an open loop, and in a closed one what the warm-up had, for
	// programs that take a number of operations.
	rate float64
	open bool
}

// operations is how many a program has to do that takes no time.
func (l *load) operations() int { return max(int(l.rate*l.seconds), 20*l.clients) }

// warmup is how long each program works before it is measured, in seconds.
const warmup = 1.0

// openShare is the rate of an open loop, as a part of the slower program's in a closed one.
const openShare = 0.5

// fewest clients of an open loop, and of a ratio: one client measures how a processor wakes.
const fewest = 8

// contestants are the programs that take part with so many clients.
func (w *work) contestants(open bool, clients int) []program {
	if open && (clients < fewest || !slices.ContainsFunc(w.programs[1:], func(p program) bool { return p.paced && p.installed() })) {
		return nil
	}

	return slices.DeleteFunc(slices.Clone(w.programs), func(p program) bool {
		return open && !p.paced || !p.installed()
	})
}

func (p *program) installed() bool {
	if p.needs == "" {
		return true
	}
	_, err := exec.LookPath(p.needs)

	return err == nil
}

// preparedFor is how long what a store was prepared with may be used: stock data get old.
const preparedFor = 30 * time.Minute

// measure runs what is missing, round by round, so that a run that is cut short has some of all.
func (r *run) measure(works []*work, until time.Time) error { //nolint:gocognit // one round reads top to bottom
	prepared := map[*work]time.Time{}
	for round := range r.Rounds {
		for _, w := range works {
			for _, clients := range w.clients {
				for _, open := range []bool{false, true} {
					if !until.IsZero() && time.Now().After(until) {
						return nil
					}
					if w.prepare != nil && time.Since(prepared[w]) > preparedFor {
						if err := w.prepare(); err != nil {
							return fmt.Errorf("%s, %s: %w", w.store, w.name, err)
						}
						prepared[w] = time.Now()
					}
					if err := r.round(w, clients, open, round); err != nil {
						return fmt.Errorf("%s, %s, %d clients: %w", w.store, w.name, clients, err)
					}
				}
			}
		}
	}

	return nil
}

// round runs each program of a cell once, in random order, unless the cell has the round.
func (r *run) round(w *work, clients int, open bool, round int) error {
	programs := w.contestants(open, clients)
	if len(programs) == 0 {
		return nil
	}
	c := r.cell(w, clients, open)
	if open && c.Rate == 0 {
		c.Rate = pace(r.cell(w, clients, false), programs)
	}
	if len(c.Runs[programs[0].name]) > round {
		return nil
	}
	done := map[string]figures{}
	for _, i := range rand.Perm(len(programs)) {
		p := programs[i]
		f, err := p.once(w, load{clients: clients, seconds: r.Seconds, rate: c.Rate, open: open})
		if err != nil && i == 0 {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err != nil { // a peer that fails has no figures in this round
			fmt.Printf("round %d, %s, %s, %d clients, %s failed: %v\n", round+1, w.store, w.name, clients, p.name, err)
			done[p.name] = figures{}

			continue
		}
		fmt.Printf("round %d, %s, %s, %d clients%s, %s: %.0f/s, %.2f us, p99 %.3f ms\n",
			round+1, w.store, w.name, clients, map[bool]string{true: ", open"}[open], p.name, f.Rate, f.CPU, f.P99)
		done[p.name] = f.rounded()
	}
	for name, f := range done {
		c.Runs[name] = append(c.Runs[name], f)
	}

	return r.write(unfinished)
}

// once runs a program, after its warm-up.
func (p *program) once(w *work, l load) (figures, error) {
	if p.own {
		return p.run(l)
	}
	first := l
	first.seconds = warmup
	if !l.open {
		first.rate = 1000 * float64(l.clients)
	}
	warm, err := p.run(first)
	if err != nil && !errors.Is(err, errNoFigures) { // it may have only connected in this time
		return figures{}, err
	}
	if !l.open {
		l.rate = warm.Rate
	}

	if w.address == "" {
		return p.run(l)
	}

	return watched(w.address, func() (figures, error) { return p.run(l) })
}

// pace is the rate of an open loop: a multiple of the number of clients, as memtier_benchmark takes
// a rate for each of them.
func pace(closed *cell, programs []program) float64 {
	slowest := math.Inf(1)
	for _, p := range programs {
		slowest = min(slowest, median(closed.Runs[p.name], rate))
	}
	clients := float64(closed.Clients)

	return max(math.Floor(openShare*slowest/clients), 1) * clients
}
