package sweep

import (
	"fmt"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
)

// sweepScenario is a scenario with the executor client-sweep, as k6 wants it.
type sweepScenario struct{ *Config }

var _ lib.ExecutorConfig = &sweepScenario{}

// newScenario is how k6 reads the options of a scenario with this executor.
func newScenario(name string, rawJSON []byte) (lib.ExecutorConfig, error) {
	inProcess.ask(name)
	config, err := newConfig(name, rawJSON)
	if err != nil {
		return nil, err
	}

	return &sweepScenario{config}, nil
}

// HasWork tells whether this instance has any part in the sweep.
func (s *sweepScenario) HasWork(et *lib.ExecutionTuple) bool {
	has := s.Config.HasWork(et)
	if !has {
		inProcess.idle(s.Name)
	}

	return has
}

// NewExecutor returns the executor of the scenario.
func (s *sweepScenario) NewExecutor(es *lib.ExecutionState, logger *logrus.Entry) (lib.Executor, error) {
	c := s.Config
	m, err := registerMetrics(es.Test.Registry)
	if err != nil {
		return nil, err
	}
	if err := c.fits(es.ExecutionTuple); err != nil {
		return nil, invalid(fmt.Errorf("scenario %q: %w", c.Name, err))
	}
	results := resultsOf(es.Test.Registry)
	results.prepare(m, es.Test.Registry)
	if err := results.checkGates(c.planned()); err != nil {
		return nil, invalid(err)
	}
	if err := results.checkThresholds(c, es.Test); err != nil {
		return nil, invalid(err)
	}
	results.expect(c.Name)

	return &Executor{
		BaseExecutor: executor.NewBaseExecutor(s, es, logger),
		config:       c,
		state:        es,
		metrics:      m,
		results:      results,
		iterations:   newIterations(es.ExecutionTuple),
		logger:       logger,
	}, nil
}

// invalid gives an error k6's exit code for options that make no sense.
func invalid(err error) error { return errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig) }
