package executor

import (
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Params returns the options for the report.
func (c *Config) Params(et *lib.ExecutionTuple) map[string]any {
	params := map[string]any{
		"repeats":      c.Repeats.Int64,
		"warmup":       c.Warmup.TimeDuration().String(),
		"pause":        c.Pause.TimeDuration().String(),
		"maxDuration":  c.MaxDuration.TimeDuration().String(),
		"gracefulStop": c.GetGracefulStop().String(),
	}
	switch {
	case c.Find != nil:
		params["find"] = c.Find.Describe()
	case c.Rate != nil:
		params["rate"] = c.Rate
	default:
		params["clients"] = c.Clients
	}
	if c.OpenLoop() {
		params["preAllocatedVUs"] = c.PreAllocatedVUs.Int64
	}
	c.addLength(params)
	if len(c.Variants) > 0 {
		params["variants"] = c.Variants
	}
	if c.WaitCalm.TimeDuration() > 0 {
		params["waitCalm"] = c.WaitCalm.TimeDuration().String()
	}
	if c.Precision.Some() {
		params[report.IntervalsParam] = true
	}
	if IsPart(et) {
		params["segment"] = et.Segment.String()
	}

	return params
}

func (c *Config) addLength(params map[string]any) {
	switch {
	case c.Duration.Valid:
		params["duration"] = c.Duration.TimeDuration().String()
	case c.UntilDone.Bool:
		params["untilDone"] = true
	case c.Precision.Some():
		params["precision"] = c.Precision.Words()
	default:
		params["iterations"] = c.Iterations.Int64
	}
}
