package executor

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/lib/types"
	"gopkg.in/guregu/null.v3"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// Type is the executor's name in scenarios.
const Type = "client-sweep"

const (
	defaultMaxDuration   = 10 * time.Minute
	defaultGracefulStop  = 30 * time.Second // as in k6's executors
	shortestDuration     = 100 * time.Millisecond
	defaultQuiet         = time.Minute
	defaultPreciseWarmup = time.Second
	maxClients           = 100_000
	maxRate              = 10_000_000
	maxRepeats           = 1000
)

// Values of onError.
const (
	OnErrorCount    = "count"    // count failures; end the test if no operation can succeed
	OnErrorContinue = "continue" // count failures and always continue
	OnErrorAbort    = "abort"    // end the test at the first failure
)

// Config holds the options of a scenario with the executor client-sweep, as a k6 ExecutorConfig.
type Config struct {
	executor.BaseConfig

	// Clients has the number of clients of each step. Exactly one of Clients, Rate and Find is set.
	Clients []int64 `json:"clients"`
	// Rate has the operations a second of each step of an open loop.
	Rate []float64 `json:"rate"`
	// Find is a search, which chooses steps by earlier results.
	Find            *Find    `json:"find"`
	PreAllocatedVUs null.Int `json:"preAllocatedVUs"`

	// Iterations is the number of operations of each client in each step. Exactly one of Iterations,
	// Duration, UntilDone and Precision is set.
	Iterations null.Int           `json:"iterations"`
	Duration   types.NullDuration `json:"duration"`
	// UntilDone makes steps last until the script says that nothing is left.
	UntilDone null.Bool `json:"untilDone"`
	// Precision makes steps last until their figures are precise enough.
	Precision Precision `json:"precision"`
	// Warmup is unmeasured work before the start line.
	Warmup  types.NullDuration `json:"warmup"`
	Repeats null.Int           `json:"repeats"`
	// Variants are compared in alternating steps.
	Variants []string           `json:"variants"`
	Pause    types.NullDuration `json:"pause"`
	// Quiet is the longest wait for an idle server before the first step.
	Quiet types.NullDuration `json:"quiet"`
	// WaitCalm is how long a step is repeated while a neighbour disturbs it.
	WaitCalm types.NullDuration `json:"waitCalm"`
	// MaxDuration limits a step from its beginning, with connecting and warm-up.
	MaxDuration types.NullDuration `json:"maxDuration"`

	// After is another sweep that has to end first.
	After null.String `json:"after"`
	// OnError is the reaction to a failed operation.
	OnError null.String `json:"onError"`
	// AllowFailed lets a run with failed operations exit with 0.
	AllowFailed AllowedFailures `json:"allowFailed"`
	// Op is the default name of operations; the scenario's name if not set.
	Op null.String `json:"op"`
	// OpNames are the names of the script's operations, to check gates before the run.
	OpNames []string `json:"opNames"`
}

// NewConfig reads a scenario's options, for k6.
func NewConfig(name string, rawJSON []byte) (lib.ExecutorConfig, error) {
	inProcess.asked(name)

	return Read(name, rawJSON)
}

var _ lib.ExecutorConfig = &Config{}

// Read reads the options of a scenario.
func Read(name string, rawJSON []byte) (*Config, error) {
	c := Config{
		BaseConfig:  executor.NewBaseConfig(name, Type),
		Repeats:     null.NewInt(1, false),
		Quiet:       types.NewNullDuration(defaultQuiet, false),
		MaxDuration: types.NewNullDuration(defaultMaxDuration, false),
		OnError:     null.NewString(OnErrorCount, false),
	}
	c.GracefulStop = types.NewNullDuration(defaultGracefulStop, false)
	if err := checkOptions(rawJSON, &c); err != nil {
		return nil, fmt.Errorf("scenario %q: %w", name, err)
	}
	if err := lib.StrictJSONUnmarshal(rawJSON, &c); err != nil {
		return nil, fmt.Errorf("scenario %q: %w", name, err)
	}

	if c.Precision.Some() && !c.Warmup.Valid {
		c.Warmup.Duration = types.Duration(defaultPreciseWarmup)
	}

	return &c, nil
}

// GetDescription describes the scenario in one line.
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
	return fmt.Sprintf("Sweep of %s, %s (warmup: %s, repeats: %d, maxDuration: %s a step, gracefulStop: %s)",
		c.describeSteps(et), share, c.Warmup, c.Repeats.Int64, c.MaxDuration.Duration, c.GracefulStop.Duration)
}

func (c *Config) describeSteps(et *lib.ExecutionTuple) string {
	var steps []string
	switch {
	case c.Find != nil:
		return c.Find.Describe()
	case c.OpenLoop():
		for _, rate := range c.Rate {
			steps = append(steps, stream.FormatNumber(rate))
		}

		return fmt.Sprintf("%s operations a second by %s", strings.Join(steps, ", "),
			report.Plural(int(et.ScaleInt64(c.PreAllocatedVUs.Int64)), "client"))
	}
	for _, n := range c.Clients {
		steps = append(steps, fmt.Sprint(et.ScaleInt64(n)))
	}

	if len(steps) == 1 && steps[0] == "1" {
		return "1 client"
	}

	return strings.Join(steps, ", ") + " clients"
}

// GetExecutionRequirements returns the VUs of the largest step, for the longest time of the sweep.
func (c *Config) GetExecutionRequirements(et *lib.ExecutionTuple) []lib.ExecutionStep {
	step := c.MaxDuration.TimeDuration() + c.GetGracefulStop() + c.Pause.TimeDuration() + c.WaitCalm.TimeDuration()

	return []lib.ExecutionStep{
		{TimeOffset: 0, PlannedVUs: uint64(et.ScaleInt64(c.mostClients()))},
		{TimeOffset: c.LongestWait(et) + time.Duration(c.MostSteps())*step, PlannedVUs: 0},
	}
}

// LongestWait returns the longest wait for an idle server. The segments of one run do not wait,
// because they start together and each would keep the server busy for the others.
func (c *Config) LongestWait(et *lib.ExecutionTuple) time.Duration {
	if IsPart(et) {
		return 0
	}

	return c.Quiet.TimeDuration()
}

// IsPart reports whether an instance has only a segment of the run.
func IsPart(et *lib.ExecutionTuple) bool { return et.Segment != nil && et.Segment.String() != "0:1" }

// HasWork reports whether an instance with this execution segment has any part in the sweep.
func (c *Config) HasWork(et *lib.ExecutionTuple) bool {
	has := et.ScaleInt64(c.mostClients()) > 0 || c.OpenLoop()
	if !has {
		inProcess.settled(c.Name)
	}

	return has
}

// fits returns an error if an instance with this execution segment cannot do its part.
func (c *Config) fits(et *lib.ExecutionTuple) error {
	switch here := et.ScaleInt64(c.mostClients()); {
	case c.Find != nil && here != c.mostClients():
		return errors.New("find cannot be shared by execution segments: each would search for itself")
	case c.Precision.Some() && IsPart(et):
		return errors.New("precision cannot be shared by execution segments: each would end its steps for itself; set duration")
	case c.OpenLoop() && here == 0:
		return fmt.Errorf("preAllocatedVUs (%d) must be at least the number of execution segments: "+
			"this one has operations to do, and no client", c.PreAllocatedVUs.Int64)
	}

	return nil
}

// NewExecutor returns the scenario's executor.
func (c *Config) NewExecutor(es *lib.ExecutionState, logger *logrus.Entry) (lib.Executor, error) {
	m, err := stream.Register(es.Test.Registry)
	if err != nil {
		return nil, err
	}
	if err := c.fits(es.ExecutionTuple); err != nil {
		return nil, invalid(fmt.Errorf("scenario %q: %w", c.Name, err))
	}
	results := testrun.Of(es.Test.Registry)
	if err := results.CheckGates(c.Planned()); err != nil {
		return nil, invalid(err)
	}
	if err := results.CheckThresholds(c, es.Test); err != nil {
		return nil, invalid(err)
	}
	results.Register(c.Name)
	inProcess.settled(c.Name)
	host.SetGCPercent()

	return &Executor{executor.NewBaseExecutor(c, es, logger), &sweepRun{
		config: c, state: es, metrics: m, results: results, logger: logger, iterations: newIterations(es.ExecutionTuple),
	}}, nil
}

func invalid(err error) error { return errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig) }

// OpenLoop reports whether operations start at scheduled times.
func (c *Config) OpenLoop() bool {
	return len(c.Rate) > 0 || (c.Find != nil && c.Find.Varies() == ofRate)
}
