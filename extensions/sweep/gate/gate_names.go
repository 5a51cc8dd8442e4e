package gate

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Gates that apply without being listed in the file.
const (
	baselineFits = "baseline fits"
	everyStep    = "every step complete and no operation failed"
)

func (a *Absolute) steps() string {
	if a.Clients == 0 && a.Rate == 0 {
		return report.NameOf(a.Op) + " in every step"
	}

	return StepName(report.Key{Op: a.Op, Clients: a.Clients, Rate: a.Rate})
}

func (a *Absolute) name(b Bound) string {
	return fmt.Sprintf("%s of %s %s %s", b.Figure.Name, a.steps(), boundSign(b.Figure), boundText(b.Figure, b.Value))
}

func (t Tolerance) name(key report.Key) string {
	return fmt.Sprintf("%s of %s %s %.12gx of baseline", t.Figure.Name, StepName(key), boundSign(t.Figure), t.limit())
}

// nameOfDuet names the gate of a figure in every step of a duet.
func (t Tolerance) nameOfDuet() string {
	return fmt.Sprintf("%s of every step %s %.12gx of base", t.Figure.Name, boundSign(t.Figure), t.limit())
}

func (t Tolerance) limit() float64 {
	if t.Figure.Rate {
		return 1 - t.Part
	}

	return 1 + t.Part
}

// StepName names a step in gates: "get with 8 clients".
func StepName(key report.Key) string {
	name := report.NameOf(key.Op)
	if key.Clients != 0 {
		name += " with " + report.Plural(key.Clients, "client")
	}
	if key.Variant != "" {
		name += " of " + report.NameOf(key.Variant)
	}
	if key.Rate != 0 {
		name += " at " + decimal(key.Rate) + " a second"
	}

	return name
}
