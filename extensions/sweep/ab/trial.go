package ab

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/paired"
)

// Trial is two commands that are measured in pairs.
type Trial struct {
	Base, Change Command
	// Dir is the folder of the results: each process has one of its own in it.
	Dir string
	// Figures are those that every process so far has had, in the order in which the first one had
	// them.
	Figures []Figure
	// Pairs is how many were measured.
	Pairs int

	order *rand.Rand
	// changeFirst tells which command the last pair began with.
	changeFirst bool
}

// NewTrial prepares a trial whose order follows from seed.
func NewTrial(base, change Command, dir string, seed uint64) *Trial {
	return &Trial{Base: base, Change: change, Dir: dir, order: rand.New(rand.NewPCG(seed, 0))}
}

// Pair measures one more pair. Its error names the command that failed; the pairs before it stay.
func (t *Trial) Pair(ctx context.Context) error {
	if t.Pairs%2 == 0 {
		t.changeFirst = t.order.IntN(2) == 0
	} else {
		t.changeFirst = !t.changeFirst // of two pairs, each command is first in one
	}
	var base, change []value
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

func (t *Trial) side(ctx context.Context, name string, c Command) ([]value, error) {
	values, err := c.run(ctx, filepath.Join(t.Dir, fmt.Sprintf("pair-%02d-%s", t.Pairs+1, name)))
	if err != nil {
		return nil, fmt.Errorf("pair %d, %s (%s): %w", t.Pairs+1, name, c, err)
	}

	return values, nil
}

// add takes the figures that all processes so far have, those of this pair too.
func (t *Trial) add(base, change []value) error {
	figures := t.Figures
	if t.Pairs == 0 {
		for _, v := range base {
			figures = append(figures, v.Figure)
		}
	}
	kept := make([]Figure, 0, len(figures))
	for _, f := range figures {
		b, c := find(base, &f), find(change, &f)
		if b == nil || c == nil || !(b.of > 0 && c.of > 0) {
			continue
		}
		f.Pairs = append(f.Pairs, paired.Pair{Base: b.of, Change: c.of})
		kept = append(kept, f)
	}
	if len(kept) == 0 {
		return fmt.Errorf("pair %d: the two commands have no figure in common", t.Pairs+1)
	}
	t.Figures = kept
	t.Pairs++

	return nil
}

func find(values []value, f *Figure) *value {
	for i := range values {
		if values[i].same(f) {
			return &values[i]
		}
	}

	return nil
}
