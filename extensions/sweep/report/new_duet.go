package report

import (
	"math"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// NewDuets returns the duets of a step's final reading: one for each kind of operation and, with
// several, one for all together; none for other steps. asked has the step's parameters.
func NewDuets(reading *measure.Reading, asked Step) []Duet {
	if reading.Duet == nil {
		return nil
	}
	var duets []Duet
	add := func(op string, base, change *measure.Totals, of ...*measure.SlicePairs) {
		d := Duet{
			Clients: asked.Clients, Rate: asked.Rate, Repeat: asked.Repeat, Op: op,
			Slices: 2 * len(of[0].Pairs), SliceSeconds: reading.Duet.Length.Seconds(), Seed: reading.Duet.Seed,
		}
		for _, kind := range of {
			d.Crossed += kind.Crossed
		}
		d.compare(of, base, change)
		duets = append(duets, d)
	}
	var all []*measure.SlicePairs
	var allBase, allChange measure.Totals
	for i := range reading.Ops {
		base := &reading.Ops[i]
		change := reading.Of(measure.Change, base.Op)
		if base.Variant != measure.Base || change == nil {
			continue
		}
		of := reading.Duet.Ops[base.Op]
		add(base.Op, base, change, of)
		all = append(all, of)
		for total, kind := range map[*measure.Totals]*measure.Totals{&allBase: base, &allChange: change} {
			total.Durations.Merge(&kind.Durations)
			total.Shared += kind.Shared
		}
	}
	if len(all) > 1 {
		add(TotalOp, &allBase, &allChange, all...)
	}

	return duets
}

// compare sets the figures of these kinds of operations together, or why they are missing.
func (d *Duet) compare(of []*measure.SlicePairs, base, change *measure.Totals) {
	d.Figures = []DuetFigure{}
	turns, err := stats.OfSlices(func(yield func(stats.SlicePair) bool) {
		for i := range of[0].Pairs {
			pair := stats.SlicePair{Base: pairedSlice(&of[0].Pairs[i].Base), Change: pairedSlice(&of[0].Pairs[i].Change)}
			for _, kind := range of[1:] {
				addKind(&pair.Base, pairedSlice(&kind.Pairs[i].Base))
				addKind(&pair.Change, pairedSlice(&kind.Pairs[i].Change))
			}
			if !yield(pair) {
				return
			}
		}
	}, measure.Classes(), DuetConfidence, 0.5, 0.99)
	if err != nil {
		d.Why = err.Error()

		return
	}
	d.Blocks = turns.Blocks
	clients := float64(d.Clients)
	d.add("opsPerSecond", turns.Rate, clients*turns.Rate.Base, clients*turns.Rate.Change)
	d.add("mean", turns.Mean, 1000*turns.Mean.Base, 1000*turns.Mean.Change)
	for _, p := range []Percentile{P50, P99} {
		if p.RestsOnFew(base.Timings()) || p.RestsOnFew(change.Timings()) {
			continue
		}
		q := float64(p) / 1000
		d.add(p.String(), turns.Quantile(q), Ms(base.Durations.Quantile(q)), Ms(change.Durations.Quantile(q)))
	}
}

// add adds a figure with values more precise than the slices give.
func (d *Duet) add(figure string, r stats.Ratio, base, change float64) {
	moved := change / base / (r.Change / r.Base)
	ratio := r.Ratio * moved
	d.Figures = append(d.Figures, DuetFigure{
		Figure: figure, Base: base, Change: change,
		Ratio: ratio, Low: min(r.Low*moved, ratio), High: max(r.High*moved, ratio), Visible: r.Visible(),
	})
}

// addKind adds another kind of operation in the same slice.
func addKind(all *stats.Slice, kind stats.Slice) {
	all.Operations += kind.Operations
	all.Sum += kind.Sum
	for class, n := range kind.Counts {
		all.Counts[class] += n
	}
}

func pairedSlice(s *measure.Slice) stats.Slice {
	p := stats.Slice{Seconds: s.Busy.Seconds(), Counts: s.Counts()}
	if s.Durations != nil {
		p.Sum = s.Durations.Sum().Seconds()
		for _, n := range p.Counts {
			p.Operations += n
		}
	}

	return p
}

// DuetOf returns the duet that a step is a variant of, or nil.
func (r *Report) DuetOf(s *Step) *Duet {
	i := slices.IndexFunc(r.Duets, func(d Duet) bool { return s.Variant != "" && d.isOf(s) })
	if i < 0 {
		return nil
	}

	return &r.Duets[i]
}

// Reached returns the precision of the least precise duet ratio; infinite if unknown.
func Reached(duets []Duet) stats.Aim {
	half := func(figure string) float64 {
		worst := 0.0
		for i := range duets {
			f := duets[i].Of(figure)
			if f == nil {
				return math.Inf(1)
			}
			worst = max(worst, f.High/f.Ratio-1, 1-f.Low/f.Ratio)
		}

		return worst
	}
	if len(duets) == 0 {
		return stats.Aim{OpsPerSecond: math.Inf(1), P99: math.Inf(1)}
	}

	return stats.Aim{OpsPerSecond: half("opsPerSecond"), P99: half("p99")}
}
