package sweep

import (
	"errors"
	"fmt"
	"time"
)

// portableMargin is what a step needs beside its warm-up and its duration, to connect its clients, when the options name
// no maxDuration.
const portableMargin = 10 * time.Second

// portableScenarios are the steps of a sweep as scenarios of k6's own executors: each client is a VU
// that has one iteration, its session; each step has a window of time, as long as it may take. The
// script's function has to call sweep.run.
func portableScenarios(c *Config, results *results) (map[string]any, error) {
	if err := possible(c); err != nil {
		return nil, err
	}
	window := windowOf(c)
	every := window + c.GetGracefulStop() + c.Pause.TimeDuration()
	scenarios := map[string]any{}
	sweep := &portableSweep{config: c}
	named := map[string]*portableStep{}
	for i, s := range c.specs() {
		name := fmt.Sprintf("%s-%d", c.Name, s.clients)
		if c.Repeats.Int64 > 1 {
			name += fmt.Sprintf("-%d", s.repeat)
		}
		tags := map[string]any{"phase": "warm-up"}
		for name, value := range c.GetTags() {
			tags[name] = value
		}
		scenario := map[string]any{
			"executor":     "per-vu-iterations",
			"vus":          s.clients,
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
		named[name] = &portableStep{sweep: sweep, spec: s, window: window}
		sweep.steps = append(sweep.steps, named[name])
	}
	if shared[portableSteps](results).add(named) {
		for name := range named {
			results.addStep(name, c)
		}
	}

	return scenarios, nil
}

// possible tells what k6's own executors cannot do.
func possible(c *Config) error {
	switch {
	case c.Find != nil:
		return errors.New("find needs the executor client-sweep: its steps are not known before")
	case c.OpenLoop():
		return errors.New("rate needs the executor client-sweep; k6's own open loop is constant-arrival-rate")
	case c.OnError.String == onErrorAbort:
		return errors.New("onError 'abort' needs the executor client-sweep")
	case c.Raw.Bool:
		return errors.New("raw needs the executor client-sweep")
	case len(c.Variants) > 0:
		return errors.New("variants needs the executor client-sweep")
	case c.After.Valid:
		return errors.New("after needs the executor client-sweep; k6's own scenarios have startTime")
	}

	return nil
}

// windowOf is how long a step may take.
func windowOf(c *Config) time.Duration {
	if !c.MaxDuration.Valid && c.Duration.Valid {
		return c.Warmup.TimeDuration() + c.Duration.TimeDuration() + portableMargin
	}

	return c.MaxDuration.TimeDuration()
}
