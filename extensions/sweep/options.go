package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

const defaultScenario = "default"

// sweepOptions are what sweep.options takes beside the executor's own options.
type sweepOptions struct {
	Scenario   string
	Portable   bool
	Thresholds map[string]any
	Executor   map[string]any // the rest
}

// options is sweep.options({...}): k6's options for one sweep. It takes the options of the executor client-sweep and
//
//	scenario    its name, and that of the report's files; "default" when not given
//	thresholds  the path of a file of gates, for sweep.thresholds, or k6's own thresholds
//	portable    true: the same steps as scenarios of k6's own executors, for places that know only those
//
// and returns { scenarios, thresholds }, to which a script may add more. A run with a failed operation or an incomplete
// step crosses a threshold, unless allowFailed is true or the thresholds given say otherwise.
//
// It throws a TypeError that names the option which makes no sense.
func (m *module) options(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	o, err := m.readOptions(call.Argument(0))
	if err != nil {
		k6glue.ThrowType(rt, "sweep.options: %s", err.Error())
	}
	config, err := o.config()
	if err != nil {
		k6glue.ThrowType(rt, "sweep.options: %s", err.Error())
	}

	o.Executor["executor"] = ExecutorType
	scenarios := map[string]any{o.Scenario: o.Executor}
	if o.Portable {
		if scenarios, err = m.portableScenarios(config); err != nil {
			k6glue.ThrowType(rt, "sweep.options: portable: %s", err.Error())
		}
	}
	thresholds := map[string]any{metricIncomplete: []any{"count==0"}}
	if !config.AllowFailed.Bool {
		thresholds[metricFailed] = []any{"count==0"}
	}
	maps.Copy(thresholds, o.Thresholds)

	return rt.ToValue(map[string]any{"scenarios": scenarios, "thresholds": thresholds})
}

func (m *module) readOptions(value sobek.Value) (*sweepOptions, error) {
	given, ok := value.Export().(map[string]any)
	if !ok {
		return nil, errors.New("takes an object of options")
	}
	o := &sweepOptions{Scenario: defaultScenario, Executor: maps.Clone(given)}
	for _, name := range []string{"scenario", "thresholds", "portable"} {
		delete(o.Executor, name)
	}
	if name, is := given["scenario"]; is {
		if o.Scenario, ok = name.(string); !ok || o.Scenario == "" {
			return nil, errors.New("scenario must be a name")
		}
	}
	if portable, is := given["portable"]; is {
		if o.Portable, ok = portable.(bool); !ok {
			return nil, errors.New("portable must be true or false")
		}
	}
	switch thresholds := given["thresholds"].(type) {
	case nil:
	case map[string]any:
		o.Thresholds = thresholds
	case string:
		gates := m.thresholds(sobek.FunctionCall{Arguments: []sobek.Value{m.vu.Runtime().ToValue(thresholds)}})
		o.Thresholds, _ = gates.Export().(map[string]any)
	default:
		return nil, errors.New("thresholds must be the path of a file, or an object of k6 thresholds")
	}

	return o, nil
}

// config reads the options as the executor will.
func (o *sweepOptions) config() (*Config, error) {
	given := maps.Clone(o.Executor)
	given["executor"] = ExecutorType
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, fmt.Errorf("options cannot be read: %w", err)
	}
	config, err := newConfig(o.Scenario, raw)
	if err != nil {
		return nil, err
	}

	return config.(*Config), errors.Join(config.Validate()...) //nolint:forcetypeassert // newConfig returns nothing else
}
