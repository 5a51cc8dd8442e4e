package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/lib/types"
	"gopkg.in/guregu/null.v3"
)

// ExecutorType is the name by which scenarios ask for the executor.
const ExecutorType = "client-sweep"

const (
	defaultMaxDuration  = 10 * time.Minute
	defaultGracefulStop = 5 * time.Second
	maxClients          = 100_000
)

// Config is a scenario with the executor client-sweep, as it stands in a script's options.
type Config struct {
	executor.BaseConfig

	// Clients are the steps of the sweep: how many clients each has.
	Clients []int64 `json:"clients"`
	// Iterations is how many operations each client does in each step; or else
	Iterations null.Int `json:"iterations"`
	// Duration is for how long each step goes on.
	Duration types.NullDuration `json:"duration"`
	// Warmup is how long the clients work before the start line, unmeasured.
	Warmup types.NullDuration `json:"warmup"`
	// Repeats is how many times each step is run, one after the other.
	Repeats null.Int `json:"repeats"`
	// Pause is the rest between two steps.
	Pause types.NullDuration `json:"pause"`
	// MaxDuration cuts a step, counted from its beginning: connecting, warm-up and measured phase together.
	MaxDuration types.NullDuration `json:"maxDuration"`
	// Op names the operations that nobody named; the scenario's name when not given.
	Op null.String `json:"op"`
}

var _ lib.ExecutorConfig = &Config{}

func newConfig(name string, rawJSON []byte) (lib.ExecutorConfig, error) {
	c := Config{
		BaseConfig:  executor.NewBaseConfig(name, ExecutorType),
		Repeats:     null.NewInt(1, false),
		MaxDuration: types.NewNullDuration(defaultMaxDuration, false),
	}
	c.GracefulStop = types.NewNullDuration(defaultGracefulStop, false)
	if err := lib.StrictJSONUnmarshal(rawJSON, &c); err != nil {
		return nil, fmt.Errorf("scenario %q: %w", name, err)
	}

	return &c, nil
}

// Validate returns what is wrong with the options.
func (c *Config) Validate() []error {
	errs := c.BaseConfig.Validate()
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}

	check(len(c.Clients) > 0, "clients must list at least one number of clients, such as [1, 8, 64]")
	for _, n := range c.Clients {
		check(n >= 1 && n <= maxClients, "clients must be whole numbers from 1 to %d, but one is %d", maxClients, n)
	}
	if c.Iterations.Valid == c.Duration.Valid {
		errs = append(errs, errors.New("one of iterations (operations of each client) and duration must be set, and not both"))
	}
	check(!c.Iterations.Valid || c.Iterations.Int64 > 0, "iterations must be more than 0, but is %d", c.Iterations.Int64)
	check(!c.Duration.Valid || c.Duration.Duration > 0, "duration must be more than 0, but is %s", c.Duration.Duration)
	check(c.Warmup.Duration >= 0, "warmup can't be negative, but is %s", c.Warmup.Duration)
	check(c.Repeats.Int64 >= 1, "repeats must be at least 1, but is %d", c.Repeats.Int64)
	check(c.Pause.Duration >= 0, "pause can't be negative, but is %s", c.Pause.Duration)
	check(c.MaxDuration.TimeDuration() >= time.Second, "maxDuration must be at least 1s, but is %s", c.MaxDuration.Duration)
	check(c.Warmup.Duration+c.Duration.Duration < c.MaxDuration.Duration,
		"maxDuration (%s) must leave room for warmup and duration (%s)",
		c.MaxDuration.Duration, c.Warmup.Duration+c.Duration.Duration)
	check(!c.Op.Valid || c.Op.String != "", "op can't be empty")

	return errs
}

// GetDescription says in one line what the scenario will do.
func (c *Config) GetDescription(et *lib.ExecutionTuple) string {
	share := fmt.Sprintf("%d operations each", c.Iterations.Int64)
	if c.Duration.Valid {
		share = c.Duration.String()
	}
	steps := make([]string, 0, len(c.Clients))
	for _, n := range c.Clients {
		steps = append(steps, fmt.Sprint(et.ScaleInt64(n)))
	}

	return fmt.Sprintf("Sweep of %s clients, %s (warmup: %s, repeats: %d, maxDuration: %s a step, gracefulStop: %s)",
		strings.Join(steps, ", "), share, c.Warmup.Duration, c.Repeats.Int64, c.MaxDuration.Duration, c.GracefulStop.Duration)
}

// GetExecutionRequirements asks k6 for the VUs of the largest step, for as long as the sweep may take at most.
func (c *Config) GetExecutionRequirements(et *lib.ExecutionTuple) []lib.ExecutionStep {
	step := c.MaxDuration.TimeDuration() + c.GetGracefulStop() + c.Pause.TimeDuration()

	return []lib.ExecutionStep{
		{TimeOffset: 0, PlannedVUs: uint64(et.ScaleInt64(slices.Max(c.Clients)))},
		{TimeOffset: time.Duration(c.stepCount()) * step, PlannedVUs: 0},
	}
}

// HasWork tells whether this instance has any part in the sweep.
func (c *Config) HasWork(et *lib.ExecutionTuple) bool {
	return len(c.Clients) > 0 && et.ScaleInt64(slices.Max(c.Clients)) > 0
}

// NewExecutor returns the executor of the scenario.
func (c *Config) NewExecutor(es *lib.ExecutionState, logger *logrus.Entry) (lib.Executor, error) {
	m, err := registerMetrics(es.Test.Registry)
	if err != nil {
		return nil, err
	}

	return &Executor{
		BaseExecutor: executor.NewBaseExecutor(c, es, logger),
		config:       c,
		state:        es,
		metrics:      m,
		iterations:   newIterations(es.ExecutionTuple),
		collector:    newCollector(),
		logger:       logger,
	}, nil
}

func (c *Config) op() string {
	if c.Op.Valid {
		return c.Op.String
	}

	return c.Name
}

func (c *Config) stepCount() int { return len(c.Clients) * int(c.Repeats.Int64) }
