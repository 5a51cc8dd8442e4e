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

type work struct {
	store, name string
	clients     []int
	// address is the environment variable with the server's address, or "".
	address string
	// prepare runs once before all programs; may be nil.
	prepare  func() error
	programs []program
}

type program struct {
	name  string
	needs string
	paced bool
	// own reports whether it has a warm-up and reports processor times of the measured phase.
	own bool
	run func(load) (figures, error)
}

type load struct {
	clients int
	seconds float64
	// rate of an open loop in operations per second; in a closed loop the rate of the warm-up, for
	// programs that need a number of operations.
	rate float64
	open bool
}

func (l *load) operations() int { return max(int(l.rate*l.seconds), 20*l.clients) }

const warmup = 1.0

// openShare is the rate of an open loop relative to the slower program's in a closed loop.
const openShare = 0.5

// fewest clients of an open loop or a ratio: with one client, the wake-up time of the processor
// dominates.
const fewest = 8

// roundsOfOne are the rounds with fewer clients.
const roundsOfOne = 3

func (r *run) roundsWith(clients int) int {
	if clients < fewest {
		return min(roundsOfOne, r.Rounds)
	}

	return r.Rounds
}

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

const preparedFor = 30 * time.Minute

func (r *run) measure(works []*work, until time.Time) error { //nolint:gocognit // one round reads from top to bottom
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

func (r *run) round(w *work, clients int, open bool, round int) error {
	programs := w.contestants(open, clients)
	if len(programs) == 0 {
		return nil
	}
	c := r.cell(w, clients, open)
	if open && c.Rate == 0 {
		c.Rate = pace(r.cell(w, clients, false), programs)
	}
	if len(c.Runs[programs[0].name]) > round || round >= r.roundsWith(clients) {
		return nil
	}
	done := map[string]figures{}
	for _, i := range rand.Perm(len(programs)) {
		p := programs[i]
		f, err := p.once(w, load{clients: clients, seconds: r.Seconds, rate: c.Rate, open: open})
		if err != nil && i == 0 {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err != nil {
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
	if err != nil && !errors.Is(err, errNoFigures) {
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

// pace returns the rate of an open loop: a multiple of the number of clients, because
// memtier_benchmark needs a rate per client.
func pace(closed *cell, programs []program) float64 {
	slowest := math.Inf(1)
	for _, p := range programs {
		slowest = min(slowest, median(closed.Runs[p.name], rate))
	}
	clients := float64(closed.Clients)

	return max(math.Floor(openShare*slowest/clients), 1) * clients
}
