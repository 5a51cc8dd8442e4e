package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/paired"
)

// The variants of a duet.
const (
	// Base is what the change stands beside.
	Base = "base"
	// Change is what is judged.
	Change = "change"
)

// DuetConfidence is that of the intervals of a duet.
const DuetConfidence = 0.95

// Duet is what a step says of its two variants, which took turns in slices of its time, of one kind
// of operation. Each variant has a step of its own in the report beside it.
type Duet struct {
	Clients int     `json:"clients"`
	Rate    float64 `json:"rate,omitempty"`
	Repeat  int     `json:"repeat"`
	Op      string  `json:"op"`

	// Slices is how many there were of both variants together: half of them are of each.
	Slices int `json:"slices"`
	// SliceSeconds is how long each of them was.
	SliceSeconds float64 `json:"sliceSeconds"`
	// Seed is that of the order in which the variants came, in each pair of slices.
	Seed uint32 `json:"seed"`
	// Crossed counts the operations that ended after the slice in which they began. They belong to
	// the variant that began them.
	Crossed uint64 `json:"crossed"`
	// Blocks is how many parts the run has that count as independent of each other: neighbouring
	// pairs of slices are drawn together. Zero where there are no figures.
	Blocks int `json:"blocks"`

	// Figures are empty where the slices are too few to say anything.
	Figures []DuetFigure `json:"figures"`
	// Why says why there are no figures.
	Why string `json:"why,omitempty"`
}

// DuetFigure is one figure of both variants.
type DuetFigure struct {
	// Figure is "opsPerSecond", "mean", "p50" or "p99".
	Figure string `json:"figure"`
	// Base and Change are operations a second, or milliseconds.
	Base   float64 `json:"base"`
	Change float64 `json:"change"`
	// Ratio is Change by Base, of all slices together.
	Ratio float64 `json:"ratio"`
	// Low and High are the ends of the interval of 95 % of the ratio.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Visible is the smallest change, as a part of base, that such a run shows in four cases of
	// five.
	Visible float64 `json:"visible"`
}

// DuetFigures are the keys of a duet's figures, in their order.
var DuetFigures = [...]string{"opsPerSecond", "mean", "p50", "p99"} //nolint:gochecknoglobals // a constant

// Key tells which step the duet is of, without a variant.
func (d *Duet) Key() Key { return Key{Op: d.Op, Clients: d.Clients, Rate: d.Rate} }

// Of returns the figure of that key, or nil where there is none.
func (d *Duet) Of(figure string) *DuetFigure {
	for i := range d.Figures {
		if d.Figures[i].Figure == figure {
			return &d.Figures[i]
		}
	}

	return nil
}

// Estimate is what the duet knows of a figure's ratio, for Judge to hold against a tolerance.
func (d *Duet) Estimate(f *DuetFigure) paired.Estimate {
	return paired.Known(f.Ratio, f.High, DuetConfidence, d.Blocks)
}

// Line says in one sentence what the duet has shown.
func (d *Duet) Line() string {
	if len(d.Figures) == 0 {
		return "change beside base: " + d.Why
	}
	var parts []string
	for i, key := range [...]string{"opsPerSecond", "p99"} {
		f := d.Of(key)
		if f == nil {
			continue
		}
		name := "p99 "
		if i == 0 {
			name = ""
		}
		part := fmt.Sprintf("%s%sx (%s to %s)", name, showRatio(f.Ratio), showRatio(f.Low), showRatio(f.High))
		if i == 0 {
			part += " the ops/s of base"
		}
		parts = append(parts, part)
	}
	line := "change is " + strings.Join(parts, ", ")
	if f := d.Of("opsPerSecond"); f != nil {
		line += "; smallest change that this run could see: " + judgement.Percent(f.Visible)
	}

	return line
}

func showRatio(ratio float64) string {
	if ratio >= 10 {
		return strconv.FormatFloat(ratio, 'f', 1, 64)
	}

	return strconv.FormatFloat(ratio, 'f', 3, 64)
}

// DuetLines are what people read of the duets, a line for each.
func (r *Report) DuetLines() []string {
	notes := make([]string, 0, len(r.Duets))
	for i := range r.Duets {
		d := &r.Duets[i]
		s := Step{Clients: d.Clients, Rate: d.Rate, Repeat: d.Repeat}
		label := s.label()
		if r.hasOps(d) {
			label += ", " + d.Op
		}
		notes = append(notes, label+": "+d.Line()+r.crossedNote(d))
	}

	return notes
}

// hasOps tells whether the duet's step has more kinds of operations.
func (r *Report) hasOps(d *Duet) bool {
	n := 0
	for i := range r.Duets {
		if o := &r.Duets[i]; o.Clients == d.Clients && o.Rate == d.Rate && o.Repeat == d.Repeat {
			n++
		}
	}

	return n > 1
}

// manyCrossed is the part of all operations from which on it is told that they crossed.
const manyCrossed = 0.1

// crossedNote says that many operations were at work beside the other variant as well, as a clause
// to be added.
func (r *Report) crossedNote(d *Duet) string {
	counted := 0.0
	for i := range r.Steps {
		if s := &r.Steps[i]; d.isOf(s) {
			counted += float64(s.Operations) + float64(s.Failed)
		}
	}
	part := float64(d.Crossed) / counted
	if !(part >= manyCrossed) {
		return ""
	}

	return fmt.Sprintf("; %s of the operations ended beside the other variant, after their slice: that brings the ratio nearer to 1",
		judgement.Percent(part))
}

// TwoServers reports whether the base of a duet has a server of its own.
func (r *Report) TwoServers() bool {
	base, _ := r.Target["base"].(map[string]any)
	url := base["url"]

	return url != nil && url != r.Target["url"]
}

// isOf tells whether a step is that of one of the duet's variants.
func (d *Duet) isOf(s *Step) bool {
	return s.Op == d.Op && s.Clients == d.Clients && s.Rate == d.Rate && s.Repeat == d.Repeat
}

func (r *Report) validateDuets() error {
	seen := map[string]bool{}
	for i := range r.Duets {
		d := &r.Duets[i]
		name := fmt.Sprintf("duets[%d]", i)
		if err := d.validate(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		id := fmt.Sprint(d.Op, "\x00", d.Clients, d.Rate, d.Repeat)
		if seen[id] {
			return fmt.Errorf("%s: there are two of it", name)
		}
		seen[id] = true
		for _, variant := range []string{Base, Change} {
			if !r.hasVariant(d, variant) {
				return fmt.Errorf("%s: there is no step of its variant %q", name, variant)
			}
		}
	}

	return nil
}

func (r *Report) hasVariant(d *Duet, variant string) bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Variant == variant && d.isOf(&s) })
}

func (d *Duet) validate() error {
	if err := possible(keyed{"sliceSeconds", d.SliceSeconds}, keyed{"rate", d.Rate}); err != nil {
		return err
	}
	if (len(d.Figures) == 0) == (d.Why == "") {
		return errors.New("either it has figures, or why says why not")
	}
	if len(d.Figures) > 0 && d.Blocks < paired.Fewest {
		return fmt.Errorf("blocks are %d, and figures take at least %d", d.Blocks, paired.Fewest)
	}
	for i := range d.Figures {
		f := &d.Figures[i]
		if !slices.Contains(DuetFigures[:], f.Figure) {
			return fmt.Errorf("there is no figure %q: known are %s", f.Figure, strings.Join(DuetFigures[:], ", "))
		}
		if err := possible(
			keyed{f.Figure + ".base", f.Base}, keyed{f.Figure + ".change", f.Change}, keyed{f.Figure + ".visible", f.Visible},
		); err != nil {
			return err
		}
		if err := ascending(
			keyed{f.Figure + ".low", f.Low}, keyed{f.Figure + ".ratio", f.Ratio}, keyed{f.Figure + ".high", f.High},
		); err != nil {
			return err
		}
		if !(f.Low > 0) {
			return fmt.Errorf("%s.low is %g, which is not above 0", f.Figure, f.Low)
		}
	}

	return nil
}
