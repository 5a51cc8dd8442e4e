package options

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/lib/types"
	"gopkg.in/guregu/null.v3"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/search"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// ExecutorType is the name by which scenarios ask for the executor.
const ExecutorType = "client-sweep"

const (
	defaultMaxDuration  = 10 * time.Minute
	defaultGracefulStop = 30 * time.Second // as that of k6's executors
	// shortestDuration is for how long a step is measured at least.
	shortestDuration = 100 * time.Millisecond
	defaultQuiet     = time.Minute
	// defaultPreciseWarmup is for how long a step warms up at least that is to last until its figures
	// are known.
	defaultPreciseWarmup = time.Second
	maxClients           = 100_000
	maxRate              = 10_000_000
	maxRepeats           = 1000
)

// What onError may say.
const (
	OnErrorCount    = "count"    // count a failed operation, and go on; end the whole test when none can succeed
	OnErrorContinue = "continue" // count it, and go on whatever happens
	OnErrorAbort    = "abort"    // end the whole test at the first one
)

// What failOn may list.
const (
	failOnException = "exception" // what an operation throws; it always fails
	failOnCheck     = "check"     // a check that fails
	failOnResponse  = "response"  // no response, or one that is an error
)

// What repeatOrder may say.
const (
	orderGrouped     = "grouped"     // all repeats of a step, then the next step
	orderInterleaved = "interleaved" // all steps once, then all of them again
)

// What order may say.
const (
	orderListed = "listed" // as the options list the steps
	orderRandom = "random" // so that what changes with time does not change with the steps
)

// largestSeed is the largest one that JavaScript has as an integer.
const largestSeed = 1<<53 - 1

// Config is a scenario with the executor client-sweep, as it stands in a script's options.
type Config struct {
	executor.BaseConfig

	// Clients are the steps of the sweep: how many clients each has. One of Clients, Rate and Find
	// is given.
	Clients []int64 `json:"clients"`
	// Rate are the steps of an open-loop sweep: how many operations start in each in a TimeUnit.
	Rate []float64 `json:"rate"`
	// TimeUnit is the time that Rate is for.
	TimeUnit types.NullDuration `json:"timeUnit"`
	// Find is a search: its steps are chosen by what those before have shown.
	Find *search.Find `json:"find"`
	// PreAllocatedVUs is how many clients share the operations of an open-loop step.
	PreAllocatedVUs null.Int `json:"preAllocatedVUs"`

	// Iterations is how many operations each client does in each step. One of Iterations, Duration,
	// UntilDone and Precision is given.
	Iterations null.Int `json:"iterations"`
	// Duration is for how long each step goes on.
	Duration types.NullDuration `json:"duration"`
	// UntilDone says that each step goes on until nothing is left of what its clients share, which
	// the script tells.
	UntilDone null.Bool `json:"untilDone"`
	// Precision is how well the figures are to be known: each step goes on until they are.
	Precision Precision `json:"precision"`
	// Warmup is how long the clients work before the start line, unmeasured.
	Warmup types.NullDuration `json:"warmup"`
	// WarmupIterations is how many operations each client does before the start line, in place of
	// Warmup.
	WarmupIterations null.Int `json:"warmupIterations"`
	// Repeats is how many times each step is run.
	Repeats null.Int `json:"repeats"`
	// RepeatOrder says whether the repeats of a step follow each other.
	RepeatOrder null.String `json:"repeatOrder"`
	// Order says in which order the steps run.
	Order null.String `json:"order"`
	// OrderSeed gives the same random order again. It is drawn where none is given.
	OrderSeed null.Int `json:"orderSeed"`
	// Variants are ways to do the same work that are compared: each has steps of its own, in turns
	// with the others'.
	Variants []string `json:"variants"`
	// Pause is the rest between two steps.
	Pause types.NullDuration `json:"pause"`
	// Quiet is how long the sweep waits for its target to be at rest at most, before its first step
	// is measured.
	Quiet types.NullDuration `json:"quiet"`
	// MaxDuration cuts a step, counted from its beginning: connecting, warm-up and measured phase
	// together.
	MaxDuration types.NullDuration `json:"maxDuration"`

	// After is another scenario with this executor that has to end first.
	After null.String `json:"after"`
	// OnError says what a failed operation does.
	OnError null.String `json:"onError"`
	// FailOn says what makes an operation fail, beside an exception: all that it can, when not
	// given.
	FailOn []string `json:"failOn"`
	// AllowFailed lets a run with failed operations end with exit code 0: all, or a share of a
	// step's.
	AllowFailed AllowedFailures `json:"allowFailed"`
	// Intervals says whether the tables have columns of intervals; not given: with Precision.
	Intervals null.Bool `json:"intervals"`
	// Raw makes every single duration a sample of a Trend.
	Raw null.Bool `json:"raw"`
	// Op names the operations that nobody named; the scenario's name when not given.
	Op null.String `json:"op"`
	// OpNames are the names that the script gives to operations, so that gates can be checked
	// before the run.
	OpNames []string `json:"opNames"`
}

// Read reads the options of a scenario.
func Read(name string, rawJSON []byte) (*Config, error) {
	c := Config{
		BaseConfig:  executor.NewBaseConfig(name, ExecutorType),
		Repeats:     null.NewInt(1, false),
		RepeatOrder: null.NewString(orderGrouped, false),
		Order:       null.NewString(orderListed, false),
		Quiet:       types.NewNullDuration(defaultQuiet, false),
		MaxDuration: types.NewNullDuration(defaultMaxDuration, false),
		OnError:     null.NewString(OnErrorCount, false),
		TimeUnit:    types.NewNullDuration(time.Second, false),
	}
	c.GracefulStop = types.NewNullDuration(defaultGracefulStop, false)
	if err := checkOptions(rawJSON, &c); err != nil {
		return nil, fmt.Errorf("scenario %q: %w", name, err)
	}
	if err := lib.StrictJSONUnmarshal(rawJSON, &c); err != nil {
		return nil, fmt.Errorf("scenario %q: %w", name, err)
	}

	if c.RandomOrder() && !c.OrderSeed.Valid {
		c.OrderSeed.Int64 = rand.Int64N(largestSeed + 1) // it stays not valid: an archive draws anew
	}
	if c.Precision.Some() && !c.Warmup.Valid && !c.WarmupIterations.Valid {
		c.Warmup.Duration = types.Duration(defaultPreciseWarmup)
	}

	return &c, nil
}

// GetDescription says in one line what the scenario will do.
func (c *Config) GetDescription(et *lib.ExecutionTuple) string {
	share := fmt.Sprintf("%d operations each", c.Iterations.Int64)
	switch {
	case c.Duration.Valid:
		share = c.Duration.String()
	case c.UntilDone.Bool:
		share = "until all is done"
	case c.Precision.Some():
		share = "until known to " + c.Precision.Words()
	}
	warmup := c.Warmup.String()
	if c.WarmupIterations.Int64 > 0 {
		warmup = fmt.Sprintf("%d operations each", c.WarmupIterations.Int64)
	}

	order := ""
	if c.RandomOrder() {
		order = " in random order"
	}

	return fmt.Sprintf("Sweep of %s%s, %s (warmup: %s, repeats: %d, maxDuration: %s a step, gracefulStop: %s)",
		c.describeSteps(et), order, share, warmup, c.Repeats.Int64, c.MaxDuration.Duration, c.GracefulStop.Duration)
}

func (c *Config) describeSteps(et *lib.ExecutionTuple) string {
	var steps []string
	switch {
	case c.Find != nil:
		return c.Find.Describe()
	case c.OpenLoop():
		for _, rate := range c.rates() {
			steps = append(steps, stream.FormatNumber(rate))
		}

		return fmt.Sprintf("%s operations a second by %d clients", strings.Join(steps, ", "),
			et.ScaleInt64(c.PreAllocatedVUs.Int64))
	}
	for _, n := range c.Clients {
		steps = append(steps, fmt.Sprint(et.ScaleInt64(n)))
	}

	return strings.Join(steps, ", ") + " clients"
}

// GetExecutionRequirements asks k6 for the VUs of the largest step, for as long as the sweep may
// take at most.
func (c *Config) GetExecutionRequirements(et *lib.ExecutionTuple) []lib.ExecutionStep {
	step := c.MaxDuration.TimeDuration() + c.GetGracefulStop() + c.Pause.TimeDuration()

	return []lib.ExecutionStep{
		{TimeOffset: 0, PlannedVUs: uint64(et.ScaleInt64(c.mostClients()))},
		{TimeOffset: c.LongestWait(et) + time.Duration(c.MostSteps())*step, PlannedVUs: 0},
	}
}

// LongestWait is how long an instance waits at most until the target is at rest. Those of one run,
// with a segment each, have to start together, and one that has started is work that the others
// would wait for.
func (c *Config) LongestWait(et *lib.ExecutionTuple) time.Duration {
	if IsPart(et) {
		return 0
	}

	return c.Quiet.TimeDuration()
}

// IsPart tells whether an instance has only a segment of the run.
func IsPart(et *lib.ExecutionTuple) bool { return et.Segment != nil && et.Segment.String() != "0:1" }

// HasWork tells whether an instance with this execution segment has any part in the sweep.
func (c *Config) HasWork(et *lib.ExecutionTuple) bool {
	return et.ScaleInt64(c.mostClients()) > 0 || c.OpenLoop()
}

// Fits tells whether an instance with this execution segment can do its part.
func (c *Config) Fits(et *lib.ExecutionTuple) error {
	switch here := et.ScaleInt64(c.mostClients()); {
	case c.Find != nil && here != c.mostClients():
		return errors.New("find cannot be shared by execution segments: each would search for itself")
	case c.Precision.Some() && IsPart(et):
		return errors.New("precision cannot be shared by execution segments: each would end its steps for itself; set duration")
	case c.RandomOrder() && !c.OrderSeed.Valid && IsPart(et):
		return errors.New("order 'random' needs orderSeed where execution segments share the steps: all must run them in the same order")
	case c.OpenLoop() && here == 0:
		return fmt.Errorf("preAllocatedVUs (%d) must be at least the number of execution segments: "+
			"this one has operations to do, and no client", c.PreAllocatedVUs.Int64)
	}

	return nil
}

// rates are the steps of an open-loop sweep, in operations a second.
func (c *Config) rates() []float64 {
	rates := make([]float64, 0, len(c.Rate))
	for _, rate := range c.Rate {
		rates = append(rates, rate/c.TimeUnit.TimeDuration().Seconds())
	}

	return rates
}

// OpenLoop tells whether operations start at times, and not when those before have ended.
func (c *Config) OpenLoop() bool {
	return len(c.Rate) > 0 || (c.Find != nil && c.Find.Varies() == search.OfRate)
}

// RandomOrder tells whether the steps run in an order that is not the one they are listed in.
func (c *Config) RandomOrder() bool { return c.Order.String == orderRandom }

// FailingSamples are the samples that make an operation fail.
func (c *Config) FailingSamples() k6glue.FailingSamples {
	if c.FailOn == nil {
		return FailsOnAll
	}

	return k6glue.FailingSamples{
		Checks: slices.Contains(c.FailOn, failOnCheck), Responses: slices.Contains(c.FailOn, failOnResponse),
	}
}

// FailsOnAll is what makes operations fail where nobody says otherwise.
var FailsOnAll = k6glue.FailingSamples{Checks: true, Responses: true} //nolint:gochecknoglobals // a constant
