package report

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// The variants of a duet.
const (
	// Base is the reference variant.
	Base = "base"
	// Change is the variant that is judged.
	Change = "change"
)

// DuetConfidence is the confidence of a duet's intervals.
const DuetConfidence = 0.95

// Duet compares the two variants of a step for one kind of operation. The variants ran in
// alternating slices of time; each also has a Step in the report.
type Duet struct {
	Clients int     `json:"clients"`
	Rate    float64 `json:"rate,omitempty"`
	Repeat  int     `json:"repeat"`
	// Op is TotalOp in the duet of all kinds of operations of a step together.
	Op string `json:"op"`

	// Slices counts the slices of both variants.
	Slices       int     `json:"slices"`
	SliceSeconds float64 `json:"sliceSeconds"`
	// Seed determines the random order of the variants in each pair.
	Seed uint32 `json:"seed"`
	// Crossed counts operations that ended after the slice in which they began. They belong to the
	// variant that began them.
	Crossed uint64 `json:"crossed"`
	// Blocks is the number of independent parts of the run; a block is several neighbouring pairs.
	// Zero without figures.
	Blocks int `json:"blocks"`

	// Figures is empty if there are too few slices.
	Figures []DuetFigure `json:"figures"`
	// Why is the reason for missing figures.
	Why string `json:"why,omitempty"`
}

// DuetFigure is one figure of both variants.
type DuetFigure struct {
	Figure string `json:"figure"`
	// Base and Change are in operations a second or milliseconds.
	Base   float64 `json:"base"`
	Change float64 `json:"change"`
	// Ratio is Change / Base, over all slices.
	Ratio float64 `json:"ratio"`
	// Low and High are the 95 % interval of the ratio.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Visible is the smallest relative change that such a run detects with 80 % probability.
	Visible float64 `json:"visible"`
}

// DuetFigures are the keys of a duet's figures, in order.
var DuetFigures = [...]string{"opsPerSecond", "mean", "p50", "p99"} //nolint:gochecknoglobals // a constant

// Key returns the key of the duet's step, without a variant.
func (d *Duet) Key() Key { return Key{Op: d.Op, Clients: d.Clients, Rate: d.Rate} }

// Of returns the figure with that key, or nil.
func (d *Duet) Of(figure string) *DuetFigure {
	for i := range d.Figures {
		if d.Figures[i].Figure == figure {
			return &d.Figures[i]
		}
	}

	return nil
}

// Estimate returns the estimate of a figure's ratio, for gates.
func (d *Duet) Estimate(f *DuetFigure) stats.Estimate {
	return stats.FromInterval(f.Ratio, f.High, DuetConfidence, d.Blocks)
}

// DuetLine returns the verdicts of a duet in one sentence, without its step.
func (r *Report) DuetLine(d *Duet) string {
	base, change := r.variantNames()
	line := fmt.Sprintf("%s beside %s: ", change, base)
	if len(d.Figures) == 0 {
		return line + "cannot tell, " + d.Why
	}
	var parts, seen []string
	latency := P99
	if !r.DuetJudges(latency) {
		latency = P50
	}
	for _, key := range [...]string{"opsPerSecond", latency.String()} {
		f := d.Of(key)
		if f == nil {
			continue
		}
		name := key
		if f.isRate() {
			name = "ops/s"
		}
		word := stats.Word(f.isRate(), f.Low, f.High)
		parts = append(parts, fmt.Sprintf("%s %s, %s", name, word, stats.TimesWithin(f.Ratio, f.Low, f.High)))
		seen = append(seen, stats.Percent(f.Visible)+" of "+name)
	}

	return line + strings.Join(parts, "; ") + "; could see " + strings.Join(seen, " and ")
}

func (f *DuetFigure) isRate() bool { return f.Figure == DuetFigures[0] }

// variantNames returns what both variants are called: their names by CHANGE_NAME, BASE_NAME or
// sweep.meta, else what differs between their targets, else "base" and "change".
func (r *Report) variantNames() (base, change string) {
	other, _ := r.Target["base"].(map[string]any)
	base, _ = other["name"].(string)
	change, _ = r.Target["name"].(string)
	if base != "" || change != "" {
		return cmp.Or(base, Base), cmp.Or(change, Change)
	}
	var bases, changes []string
	for _, key := range slices.Sorted(maps.Keys(other)) {
		theirs, mine := other[key], cmp.Or(r.Target[key], r.Params[key])
		if theirs != nil && mine != nil && fmt.Sprint(theirs) != fmt.Sprint(mine) {
			bases, changes = append(bases, differing(key, theirs)), append(changes, differing(key, mine))
		}
	}
	base, change = strings.Join(bases, ", "), strings.Join(changes, ", ")
	if base == change || max(len(base), len(change)) > longestDiffering {
		return Base, Change
	}

	return base, change
}

// differing returns a setting of a target as part of a variant's name. For a URL, that is the host.
func differing(key string, value any) string {
	text, is := value.(string)
	if !is {
		return fmt.Sprintf("%s %v", key, value)
	}
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return u.Host
	}

	return text
}

// longestDiffering limits a variant's name from its target, in bytes.
const longestDiffering = 40

// Named returns the report with the names of a duet's variants.
func (r *Report) Named() *Report {
	if len(r.Duets) == 0 {
		return r
	}
	named := *r
	named.Steps = slices.Clone(r.Steps)
	base, change := r.variantNames()
	for i := range named.Steps {
		switch s := &named.Steps[i]; s.Variant {
		case Base:
			s.Variant = base
		case Change:
			s.Variant = change
		}
	}

	return &named
}

// DuetLines returns a line for each duet.
func (r *Report) DuetLines() []string {
	notes := make([]string, 0, len(r.Duets))
	for i := range r.Duets {
		d := &r.Duets[i]
		s := Step{Clients: d.Clients, Rate: d.Rate, Repeat: d.Repeat}
		label := s.label()
		if r.hasOps(d) {
			label += ", " + d.Op
		}
		notes = append(notes, label+": "+r.DuetLine(d)+r.crossedNote(d))
	}

	return notes
}

// hasOps reports whether the duet's step has other kinds of operations.
func (r *Report) hasOps(d *Duet) bool {
	n := 0
	for i := range r.Duets {
		if o := &r.Duets[i]; o.Clients == d.Clients && o.Rate == d.Rate && o.Repeat == d.Repeat {
			n++
		}
	}

	return n > 1
}

// manyCrossed is the share of crossed operations from which on a note is shown.
const manyCrossed = 0.1

// crossedNote returns a clause if many operations overlapped with the other variant.
func (r *Report) crossedNote(d *Duet) string {
	counted := 0.0
	for i := range r.Steps {
		if s := &r.Steps[i]; d.isOf(s) || d.Op == TotalOp && d.isOfStep(s) {
			counted += float64(s.Operations) + float64(s.Failed)
		}
	}
	part := float64(d.Crossed) / counted
	if !(part >= manyCrossed) {
		return ""
	}

	return fmt.Sprintf("; %s of the operations ended beside the other variant, after their slice: that brings the ratio nearer to 1",
		stats.Percent(part))
}

// DuetJudges reports whether the run's duets can judge a percentile. Above p90, two servers differ
// by which processes they are.
func (r *Report) DuetJudges(p Percentile) bool { return p <= P90 || !r.TwoServers() }

// TwoServers reports whether the base of a duet has its own server.
func (r *Report) TwoServers() bool {
	base, _ := r.Target["base"].(map[string]any)
	url := base["url"]

	return url != nil && url != r.Target["url"]
}

func (d *Duet) isOf(s *Step) bool { return s.Op == d.Op && d.isOfStep(s) }

// isOfStep is like isOf, but ignores the kind of operation.
func (d *Duet) isOfStep(s *Step) bool {
	return s.Clients == d.Clients && s.Rate == d.Rate && s.Repeat == d.Repeat
}

func (r *Report) hasVariant(d *Duet, variant string) bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool {
		return s.Variant == variant && (d.isOf(&s) || d.Op == TotalOp && d.isOfStep(&s))
	})
}
