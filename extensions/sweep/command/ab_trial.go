package command

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// trial measures two commands in pairs, each run in a new process. The first one of a pair is
// random, but balanced over each two pairs, so that drifts of the machine cancel.
type trial struct {
	Base, Change program
	Dir          string
	// Figures of all processes, in order of appearance.
	Figures []abFigure
	Pairs   int
	// Failed are processes that count although their own thresholds or gates did not hold, in order.
	Failed []abFailed

	order *rand.Rand
	// changeFirst is set if the last pair began with change.
	changeFirst bool
}

// abFailed is a process that exited with 99 or 110.
type abFailed struct {
	Pair    int    `json:"pair"`
	Command string `json:"command"` // base or change
	Said    string `json:"said"`    // such as "exit code 99: thresholds on metrics 'checks' have been crossed"
}

// newTrial prepares a trial whose order follows from seed.
func newTrial(base, change program, dir string, seed uint64) *trial {
	return &trial{Base: base, Change: change, Dir: dir, order: rand.New(rand.NewPCG(seed, 0))}
}

// Pair measures one more pair. The error names the command that failed. Earlier pairs are kept.
func (t *trial) Pair(ctx context.Context) error {
	if t.Pairs%2 == 0 {
		t.changeFirst = t.order.IntN(2) == 0
	} else {
		t.changeFirst = !t.changeFirst // balance two pairs
	}
	var base, change []abValue
	sides := []func() error{
		func() (err error) { base, err = t.side(ctx, "base", t.Base); return err },
		func() (err error) { change, err = t.side(ctx, "change", t.Change); return err },
	}
	if t.changeFirst {
		slices.Reverse(sides)
	}
	for _, side := range sides {
		if err := side(); err != nil {
			return err
		}
	}

	return t.add(base, change)
}

func (t *trial) side(ctx context.Context, name string, c program) ([]abValue, error) {
	values, failed, err := c.run(ctx, filepath.Join(t.Dir, fmt.Sprintf("pair-%02d-%s", t.Pairs+1, name)))
	if err != nil {
		return nil, fmt.Errorf("pair %d, %s (%s): %w", t.Pairs+1, name, c, err)
	}

	if failed != nil {
		t.Failed = append(t.Failed, abFailed{Pair: t.Pairs + 1, Command: name, Said: failed.Error()})
	}

	return values, nil
}

// add adds the figures of a pair. Missing figures are counted, so that a step too slow for a p99
// still fails its gate. A figure delayed by k6 counts as unknown.
func (t *trial) add(base, change []abValue) error {
	figures := slices.Clone(t.Figures)
	for _, v := range slices.Concat(base, change) {
		if !slices.ContainsFunc(figures, func(f abFigure) bool { return f.same(&v.abFigure) }) {
			f := v.abFigure
			f.Lacking, f.BaseLacks, f.ChangeLacks = "", t.Pairs, t.Pairs
			figures = append(figures, f)
		}
	}
	common := false
	for i := range figures {
		f := &figures[i]
		b, c := find(base, f), find(change, f)
		if b.unknown || c.unknown {
			common = true
			f.Unknown++
			if f.Lacking = c.Lacking; b.unknown {
				f.Lacking = b.Lacking
			}

			continue
		}
		common = common || b.of > 0 && c.of > 0
		for _, side := range []struct {
			abValue
			lacks *int
		}{{b, &f.BaseLacks}, {c, &f.ChangeLacks}} {
			if side.of == 0 {
				*side.lacks++
				f.Lacking = side.Lacking
			}
		}
		if b.of > 0 && c.of > 0 {
			f.Pairs = append(f.Pairs, stats.Pair{Base: b.of, Change: c.of})
		}
	}
	if !common {
		return fmt.Errorf("pair %d: the two commands have no figure in common: base measured %s, and change %s; "+
			"give an operation the same name and clients in both, such as sweep.op('get', ...) and -e CLIENTS=8",
			t.Pairs+1, stepsOf(base), stepsOf(change))
	}
	t.Figures = figures
	t.Pairs++

	return nil
}

// stepsOf lists the steps with figures, for errors.
func stepsOf(values []abValue) string {
	const most = 5
	var steps []string
	for i := range values {
		if step := strconv.Quote(cmp.Or(values[i].Step, "the time of the process")); !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	if more := len(steps) - most; more > 0 {
		steps = append(steps[:most], fmt.Sprintf("%d more", more))
	}

	return cmp.Or(strings.Join(steps, ", "), "nothing")
}

func find(values []abValue, f *abFigure) abValue {
	for i := range values {
		if values[i].same(f) && values[i].of > 0 || values[i].same(f) && values[i].Lacking != "" {
			return values[i]
		}
	}

	return abValue{abFigure: abFigure{Lacking: "there is no such step or figure"}}
}
