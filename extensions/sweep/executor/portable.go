package executor

import (
	"errors"
	"fmt"
	"time"

	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// portableMargin is the time for connecting, if maxDuration is not set.
const portableMargin = 10 * time.Second

// portableStop is the default of gracefulStop; each window is longer by it.
const portableStop = 5 * time.Second

// Portable returns the steps of a sweep as scenarios of k6's own executors, for services that do
// not have ours. Each client is a VU with one iteration, in which it calls sweep.run; each step has
// its own window of time.
func Portable(c *Config, results *testrun.Results) (map[string]any, error) {
	if err := possible(c); err != nil {
		return nil, err
	}
	window := windowOf(c)
	if !c.GracefulStop.Valid {
		c.GracefulStop.Duration = types.Duration(portableStop)
	}
	every := window + c.GetGracefulStop() + c.Pause.TimeDuration()
	scenarios := map[string]any{}
	sweep := &portableSweep{sweepRun: &sweepRun{config: c, results: results}}
	named := map[string]*PortableStep{}
	for i, s := range c.Steps() {
		name := fmt.Sprintf("%s-%d", c.Name, s.Clients)
		if c.Repeats.Int64 > 1 {
			name += fmt.Sprintf("-%d", s.Repeat)
		}
		tags := map[string]any{"phase": stream.Warmup}
		for name, value := range c.GetTags() {
			tags[name] = value
		}
		scenario := map[string]any{
			"executor":     "per-vu-iterations",
			"vus":          s.Clients,
			"iterations":   1,
			"startTime":    (c.StartTime.TimeDuration() + time.Duration(i)*every).String(),
			"maxDuration":  window.String(),
			"gracefulStop": c.GetGracefulStop().String(),
			"tags":         tags,
		}
		if c.Exec.Valid {
			scenario["exec"] = c.Exec.String
		}
		if env := c.GetEnv(); len(env) > 0 {
			scenario["env"] = env
		}
		scenarios[name] = scenario
		named[name] = &PortableStep{sweep: sweep, spec: s, window: window, joined: map[uint64]int{}}
		sweep.steps = append(sweep.steps, named[name])
	}
	if testrun.Shared[portableSteps](results).add(named) {
		for name := range named {
			results.AddStep(name, c)
		}
	}

	return scenarios, nil
}

func possible(c *Config) error {
	switch {
	case c.Find != nil:
		return errors.New("find needs the executor client-sweep: its steps are not known before")
	case c.OpenLoop():
		return errors.New("rate needs the executor client-sweep; k6's own open loop is constant-arrival-rate")
	case len(c.Variants) > 0:
		return errors.New("variants needs the executor client-sweep")
	case c.Precision.Some():
		return errors.New("precision needs the executor client-sweep: how long a step takes is not known before")
	case c.WaitCalm.TimeDuration() > 0:
		return errors.New("waitCalm needs the executor client-sweep: how long a step takes is not known before")
	case c.After.Valid:
		return errors.New("after needs the executor client-sweep; k6's own scenarios have startTime")
	}

	return nil
}

func windowOf(c *Config) time.Duration {
	if !c.MaxDuration.Valid && c.Duration.Valid {
		return c.Warmup.TimeDuration() + c.Duration.TimeDuration() + portableMargin
	}

	return c.MaxDuration.TimeDuration()
}
