package sweep

import (
	"slices"

	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// spec is what is particular to one step.
type spec struct {
	clients int64
	rate    float64 // zero but for open-loop steps
	repeat  int     // from 1
	variant string  // empty where there are none
}

// specs are the steps of a sweep that is no search, in the order in which they run.
func (c *Config) specs() []spec {
	once := make([]spec, 0, len(c.Clients)+len(c.Rate))
	for _, n := range c.Clients {
		once = append(once, spec{clients: n})
	}
	for _, rate := range c.Rate {
		once = append(once, spec{clients: c.PreAllocatedVUs.Int64, rate: rate})
	}

	repeats := int(c.Repeats.Int64)
	all := make([]spec, 0, len(once)*repeats*max(len(c.Variants), 1))
	for i := range len(once) * repeats {
		s := once[i%len(once)]
		s.repeat = i/len(once) + 1
		if c.RepeatOrder.String == orderGrouped {
			s = once[i/repeats]
			s.repeat = i%repeats + 1
		}
		all = append(all, c.turns(s)...)
	}

	return all
}

// turns are the steps of all variants in one repeat, or the one step where there are no variants.
// Every second repeat has the variants of the one before in the opposite order, so that a server or
// a machine that gets slower meanwhile does so for all of them; every second pair begins with
// another variant.
func (c *Config) turns(s spec) []spec {
	n := len(c.Variants)
	if n == 0 {
		return []spec{s}
	}
	turns := make([]spec, n)
	for i := range turns {
		at := i
		if s.repeat%2 == 0 {
			at = n - 1 - i
		}
		turns[at] = s
		turns[at].variant = c.Variants[(i+(s.repeat-1)/2)%n]
	}

	return turns
}

// scaled is how many of the step's clients are in the execution segment of this instance.
func (s spec) scaled(et *lib.ExecutionTuple) int64 { return et.ScaleInt64(s.clients) }

// own are the tags that tell the step from the others.
func (s spec) own() map[string]string { return stepTags(s.clients, s.rate, s.variant) }

// stream is what outputs are told of the step.
func (s spec) stream() stream.Step {
	return stream.Step{Clients: int(s.clients), Rate: s.rate, Repeat: s.repeat}
}

// plan is what a step asks of its clients.
func (c *Config) plan(s spec) measure.Plan {
	return measure.Plan{
		Operations:       uint64(c.Iterations.Int64),
		Duration:         c.Duration.TimeDuration(),
		UntilDone:        c.UntilDone.Bool,
		Warmup:           c.Warmup.TimeDuration(),
		WarmupOperations: uint64(c.WarmupIterations.Int64),
		Rate:             s.rate,
	}
}

// asked is what the report says of what was asked of a step.
func (c *Config) asked(s spec) report.Step {
	return report.Step{
		Clients: int(s.clients), Rate: s.rate, Repeat: s.repeat, Variant: s.variant, PerClient: uint64(c.Iterations.Int64),
	}
}

// op names the operations of a step that nobody named.
func (c *Config) op(s spec) string {
	switch {
	case s.variant != "":
		return s.variant
	case c.Op.Valid:
		return c.Op.String
	}

	return c.Name
}

// opNames are the names of all operations of the scenario.
func (c *Config) opNames() []string {
	switch {
	case len(c.Ops) > 0:
		return c.Ops
	case len(c.Variants) > 0:
		return c.Variants
	}

	return []string{c.op(spec{})}
}

// allowedOps are the names that sweep.op may give to operations of a step; none: any.
func (c *Config) allowedOps(s spec) []string {
	if len(c.Ops) == 0 {
		return nil
	}

	if c.Op.Valid || s.variant != "" {
		return append(slices.Clip(c.Ops), c.op(s))
	}

	return c.Ops
}

// mostClients is the number of clients of the largest step.
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

// mostSteps is how many steps there can be.
func (c *Config) mostSteps() int {
	if c.Find != nil {
		return c.Find.mostSteps(int(c.Repeats.Int64))
	}

	return len(c.specs())
}

// planned is what gates can know of the scenario before the run.
func (c *Config) planned() gate.Planned {
	planned := gate.Planned{Scenario: c.Name, Ops: c.opNames()}
	if c.Find == nil {
		for _, s := range c.specs() {
			planned.Clients = append(planned.Clients, int(s.clients))
		}
		planned.Rates = c.Rate
	}

	return planned
}

// allowsFailed tells whether the steps may have failed operations. A run in which nothing else
// happened shows nothing, unless it was to go on all the same.
func (c *Config) allowsFailed(steps []report.Step) bool {
	succeeded := slices.ContainsFunc(steps, func(s report.Step) bool { return s.Operations > 0 })

	return c.AllowFailed.Bool && (succeeded || c.OnError.String == onErrorContinue)
}
