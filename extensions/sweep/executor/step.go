package executor

import (
	"math/rand/v2"
	"slices"

	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// Step is a planned step of a sweep.
type Step struct {
	Clients int64
	// Rate is zero in closed loops.
	Rate float64
	// Repeat counts from 1.
	Repeat  int
	Variant string
}

// Steps returns the steps in run order: all once, then all again, so that a drift of the machine
// affects all. A search has none.
func (c *Config) Steps() []Step {
	once := make([]Step, 0, len(c.Clients)+len(c.Rate))
	for _, n := range c.Clients {
		once = append(once, Step{Clients: n})
	}
	for _, rate := range c.Rate {
		once = append(once, Step{Clients: c.PreAllocatedVUs.Int64, Rate: rate})
	}

	repeats := int(c.Repeats.Int64)
	all := make([]Step, 0, len(once)*repeats*max(len(c.Variants), 1))
	for repeat := range repeats {
		for _, s := range once {
			s.Repeat = repeat + 1
			all = append(all, c.turns(s)...)
		}
	}

	return all
}

// turns returns the step for all variants in one repeat, or the step itself. Repeats alternate the
// order of the variants, and pairs of repeats begin with different variants, so that drifts cancel
// out.
func (c *Config) turns(s Step) []Step {
	n := len(c.Variants)
	if n == 0 {
		return []Step{s}
	}
	turns := make([]Step, n)
	for i := range turns {
		at := i
		if s.Repeat%2 == 0 {
			at = n - 1 - i
		}
		turns[at] = s
		turns[at].Variant = c.Variants[(i+(s.Repeat-1)/2)%n]
	}

	return turns
}

// Scaled returns the number of the step's clients in this execution segment.
func (s Step) Scaled(et *lib.ExecutionTuple) int64 { return et.ScaleInt64(s.Clients) }

// NoDuet names the option that excludes duets, or returns "".
func (c *Config) NoDuet(et *lib.ExecutionTuple) string {
	switch {
	case c.Find != nil:
		return "find: a search needs one figure of each step"
	case len(c.Variants) > 0:
		return "variants: these have steps of their own"
	case IsPart(et):
		return "execution segments: several instances of k6 would not change over together"
	}

	return ""
}

// Info returns the result of sweep.step().
func (c *Config) Info(s Step) k6x.StepInfo {
	return k6x.StepInfo{
		Scenario: c.Name, Clients: s.Clients, Rate: s.Rate, Repeat: s.Repeat, Variant: s.Variant, Op: c.OpOf(s),
	}
}

// Tags returns the step's metric tags.
func (s Step) Tags() map[string]string { return stream.StepTags(s.Clients, s.Rate, s.Variant) }

// Stream returns the step for outputs.
func (s Step) Stream() stream.Step {
	return stream.Step{Clients: int(s.Clients), Rate: s.Rate, Repeat: s.Repeat}
}

// plan returns the plan of a step for package measure.
func (c *Config) plan(s Step, et *lib.ExecutionTuple) measure.Plan {
	return measure.Plan{
		Operations: uint64(c.Iterations.Int64),
		Duration:   c.Duration.TimeDuration(),
		UntilDone:  c.UntilDone.Bool,
		UntilKnown: c.Precision.Some(),
		Warmup:     c.Warmup.TimeDuration(),
		Rate:       s.Rate,
		Seed:       rand.Uint32(),
		Places:     newSegmentPlaces(et),
		Part:       IsPart(et),
	}
}

// Asked returns the step's parameters for the report.
func (c *Config) Asked(s Step) report.Step {
	return report.Step{
		Clients: int(s.Clients), Rate: s.Rate, Repeat: s.Repeat, Variant: s.Variant, PerClient: uint64(c.Iterations.Int64),
	}
}

// OpOf returns the default name of a step's operations.
func (c *Config) OpOf(s Step) string {
	switch {
	case s.Variant != "":
		return s.Variant
	case c.Op.Valid:
		return c.Op.String
	}

	return c.Name
}

func (c *Config) opNames() []string {
	switch {
	case len(c.OpNames) > 0:
		return c.OpNames
	case len(c.Variants) > 0:
		return c.Variants
	}

	return []string{c.OpOf(Step{})}
}

// AllowedOps returns the names that sweep.op accepts in a step; nil: any.
func (c *Config) AllowedOps(s Step) []string {
	if len(c.OpNames) == 0 {
		return nil
	}

	if c.Op.Valid || s.Variant != "" {
		return append(slices.Clip(c.OpNames), c.OpOf(s))
	}

	return c.OpNames
}

func (c *Config) mostClients() int64 {
	switch {
	case c.OpenLoop():
		return c.PreAllocatedVUs.Int64
	case c.Find != nil:
		return int64(c.Find.Max)
	case len(c.Clients) == 0:
		return 0
	}

	return slices.Max(c.Clients)
}

// MostSteps returns the largest possible number of steps.
func (c *Config) MostSteps() int {
	if c.Find != nil {
		return c.Find.MostSteps(int(c.Repeats.Int64))
	}

	return len(c.Steps())
}

// Planned returns what gates need to know before the run.
func (c *Config) Planned() gate.Planned {
	planned := gate.Planned{Scenario: c.Name, Ops: c.opNames(), Precision: c.Precision.Some()}
	if c.Find == nil {
		for _, s := range c.Steps() {
			planned.Clients = append(planned.Clients, int(s.Clients))
		}
		planned.Rates = c.Rate
	}

	return planned
}

// AllowsFailed reports whether the failures are allowed. A run without a successful operation is
// not, unless onError is continue.
func (c *Config) AllowsFailed(steps []report.Step) bool {
	succeeded := slices.ContainsFunc(steps, func(s report.Step) bool { return s.Operations > 0 })

	return c.AllowFailed.Some() && c.AllowFailed.within(steps) && (succeeded || c.OnError.String == OnErrorContinue)
}
