package executor

import (
	"fmt"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/options"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// Config is a scenario with the executor client-sweep, as a k6 ExecutorConfig.
type Config struct{ *options.Config }

var _ lib.ExecutorConfig = &Config{}

// NewConfig reads a scenario's options, for k6.
func NewConfig(name string, rawJSON []byte) (lib.ExecutorConfig, error) {
	inProcess.asked(name)
	config, err := options.Read(name, rawJSON)
	if err != nil {
		return nil, err
	}

	return &Config{config}, nil
}

// HasWork reports whether this instance has any part in the sweep.
func (c *Config) HasWork(et *lib.ExecutionTuple) bool {
	has := c.Config.HasWork(et)
	if !has {
		inProcess.settled(c.Name)
	}

	return has
}

// NewExecutor returns the scenario's executor.
func (c *Config) NewExecutor(es *lib.ExecutionState, logger *logrus.Entry) (lib.Executor, error) {
	m, err := stream.Register(es.Test.Registry)
	if err != nil {
		return nil, err
	}
	if err := c.Fits(es.ExecutionTuple); err != nil {
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

	return &Executor{
		BaseExecutor: executor.NewBaseExecutor(c, es, logger),
		config:       c.Config,
		state:        es,
		metrics:      m,
		results:      results,
		iterations:   newIterations(es.ExecutionTuple),
		logger:       logger,
	}, nil
}

func invalid(err error) error { return errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig) }
