package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// contest is one piece of work that k6 and other programs do with the same number of clients.
type contest struct {
	work     string
	clients  int
	k6       entrant
	besideIt []entrant
}

// entrant is a program that does the work.
type entrant struct {
	program string
	// needs is a program that is not there everywhere; empty where run needs none.
	needs string
	// bounds are what k6 has to hold beside it.
	bounds []named
	// peer: it is a benchmark that people use, or the floor in C.
	peer bool
	run  func() (figures, error)
}

// named is a figure with its bound.
type named struct {
	name   string
	figure func(figures) float64
	bound  bound
	// reason says why k6 cannot hold it; nil: nothing is known.
	reason why
}

// shown are the figures that stand where there is no bound.
var shown = []named{ //nolint:gochecknoglobals // a constant
	{name: "rate", figure: rate}, {name: "us", figure: processor}, {name: "p99", figure: p99},
}

// missing tells whether what the program needs is not there.
func (p *entrant) missing() bool {
	if p.needs == "" {
		return false
	}
	_, err := exec.LookPath(p.needs)

	return err != nil
}

// contests is a part of the page: a table of contests.
type contests struct {
	title string
	all   []*contested
	// absent are programs that the table is without, as they are not installed.
	absent []string
}

// contested is what a contest has come to.
type contested struct {
	*contest
	// rounds have the figures of each program by its name.
	rounds []map[string]figures
}

// compete measures a round of each contest, where one is wanted.
func compete(e *effort, title string, all []*contest) (*contests, error) {
	t := &contests{title: title}
	for _, c := range all {
		rounds, err := again(e, fmt.Sprintf("%s, %d", c.work, c.clients), c.clients, c.measure)
		if err != nil {
			return nil, err
		}
		for _, other := range c.besideIt {
			if other.missing() && !slices.Contains(t.absent, other.program) {
				t.absent = append(t.absent, other.program)
			}
		}
		t.all = append(t.all, &contested{c, rounds})
	}

	return t, nil
}

// measure is a round. It is without the programs that are not installed.
func (c *contest) measure(round int) (map[string]figures, error) {
	var names []string
	var programs []func() (figures, error)
	for _, p := range c.entrants() {
		if p.missing() {
			continue
		}
		names = append(names, p.program)
		programs = append(programs, func() (figures, error) {
			f, err := p.run()
			if err != nil {
				err = fmt.Errorf("%s: %w", p.program, err)
			}

			return f, err
		})
	}
	runs, err := oneRound(round, programs)
	if err != nil {
		return nil, err
	}
	figures := map[string]figures{}
	for i, name := range names {
		figures[name] = runs[i]
	}

	return figures, nil
}

func (c *contest) entrants() []entrant { return append([]entrant{c.k6}, c.besideIt...) }

// of are the medians of two programs, of the rounds that have both.
func (c *contested) of(one, other string) (ones, others figures, rounds int) {
	var a, b []figures
	for _, round := range c.rounds {
		first, has := round[one]
		second, hasToo := round[other]
		if has && hasToo {
			a, b = append(a, first), append(b, second)
		}
	}
	if len(a) == 0 {
		return figures{}, figures{}, 0
	}

	return median(a), median(b), len(a)
}

// judged are the bounds of k6 beside another program; none where the two have no round, or where
// the program does not tell the figure.
func (c *contested) judged(other *entrant) (all []judgement) {
	k6, its, n := c.of(c.k6.program, other.program)
	if n == 0 {
		return nil
	}
	row := fmt.Sprintf("%s, %d, beside %s", c.work, c.clients, other.program)
	for _, b := range other.bounds {
		if b.figure(its) > 0 {
			r := bounded{k6.over(its, b.figure), b.bound}
			j := r.judged(row, b.name)
			if j.outcome == crossed && b.reason != nil {
				j = r.explained(j, b.reason(c, other, &b), other.peer)
			}
			all = append(all, j)
		}
	}

	return all
}

func (t *contests) judgements() (all []judgement) {
	for _, c := range t.all {
		for _, other := range c.besideIt {
			all = append(all, c.judged(&other)...)
		}
	}

	return all
}

// lines are those of the table.
func (c *contested) lines() []string {
	lines := make([]string, 0, 1+len(c.besideIt))
	for i, p := range c.entrants() {
		f, _, n := c.of(p.program, p.program)
		if n == 0 {
			continue
		}
		beside := ""
		if i > 0 {
			beside = c.beside(&p)
		}
		lines = append(lines, fmt.Sprintf("| %-14s | %7d | %-18s | %2d | %9s | %8s | %8s | %8s | %7s | %7s | %6s | %s |", c.work, c.clients,
			p.program, n, known(f.OpsPerSecond, 0), known(f.CPUMicros, 2), known(f.P50Ms, 3), known(f.P99Ms, 3), known(f.ClientSpread, 2),
			known(f.ClientWaitMs, 3), known(f.MemoryMB, 0), beside))
	}

	return lines
}

// beside says how k6 stands to a program, by its bounds or, where there are none, in all figures.
func (c *contested) beside(other *entrant) string {
	k6, its, n := c.of(c.k6.program, other.program)
	if n == 0 {
		return ""
	}
	said := make([]string, 0, len(shown))
	for _, j := range c.judged(other) {
		said = append(said, j.figure+" "+j.shown)
	}
	if len(other.bounds) == 0 {
		for _, b := range shown {
			if b.figure(k6) > 0 && b.figure(its) > 0 {
				said = append(said, b.name+" "+k6.over(its, b.figure).String())
			}
		}
	}

	return strings.Join(said, "; ")
}

// reasons are those of the bounds that k6 does not hold, each once, with the rows that it is of.
func (t *contests) reasons() []string {
	var reasons []string
	rows := map[string][]string{}
	for _, j := range t.judgements() {
		if j.reason == "" {
			continue
		}
		if rows[j.reason] == nil {
			reasons = append(reasons, j.reason)
		}
		rows[j.reason] = append(rows[j.reason], j.row+": "+j.figure)
	}
	lines := make([]string, 0, len(reasons))
	for _, reason := range reasons {
		lines = append(lines, fmt.Sprintf("- %s:\n  %s.", strings.Join(rows[reason], ";\n  "), reason))
	}

	return lines
}

// known is a figure, or a dash where a program does not tell it.
func known(figure float64, digits int) string {
	if figure == 0 {
		return "–"
	}

	return strconv.FormatFloat(figure, 'f', digits, 64)
}

// String is the table, why bounds are not held, and what is not in it.
func (t *contests) String() string {
	lines := []string{
		t.title + "\n",
		"| work           | clients | program            |  n |     ops/s |    us/op " +
			"|   p50 ms |   p99 ms | min/max | wait ms |     MB | k6 over it |",
		"|----------------|--------:|--------------------|---:|----------:|---------:" +
			"|---------:|---------:|--------:|--------:|-------:|------------|",
	}
	without := 0
	for _, c := range t.all {
		lines = append(lines, c.lines()...)
		if len(c.rounds) == 0 {
			without++
		}
	}
	if reasons := t.reasons(); len(reasons) > 0 {
		lines = append(lines, "\nWhy k6 does not hold bounds:\n")
		lines = append(lines, reasons...)
	}
	if without > 0 {
		lines = append(lines, fmt.Sprintf("\nNot measured yet: %d of %d numbers of clients.", without, len(t.all)))
	}
	if len(t.absent) > 0 {
		lines = append(lines, fmt.Sprintf("\nNot run, as not installed: %s.", strings.Join(t.absent, ", ")))
	}

	return strings.Join(lines, "\n")
}
