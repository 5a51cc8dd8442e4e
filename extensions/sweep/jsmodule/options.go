package jsmodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/grafana/sobek"
	"gopkg.in/guregu/null.v3"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// options is sweep.options({...}), declared in index.d.ts. The sweeps of an array run one after
// another.
func (m *module) options(call sobek.FunctionCall) sobek.Value {
	rt := m.vu.Runtime()
	scenarios, thresholds, last := map[string]any{}, map[string]any{}, ""
	var all []sobek.Value
	if list, is := call.Argument(0).Export().([]any); !is {
		all = append(all, call.Argument(0))
	} else if err := rt.ExportTo(call.Argument(0), &all); err != nil || len(list) == 0 {
		k6x.ThrowType(rt, "sweep.options takes options, or an array of them, not %s", k6x.Show(call.Argument(0)))
	}
	if file, _ := k6x.Setting(m.env, m.test, setGates, ""); file != "" && len(all) > 1 {
		m.misconfigured(wrongSetting{fmt.Errorf("GATES is for one scenario, and this run has %d", len(all))})

		return sobek.Undefined()
	}
	for _, one := range all {
		o, config, err := m.readSweep(one)
		if err != nil {
			if !errors.As(err, new(wrongSetting)) {
				err = fmt.Errorf("sweep.options: %w", err)
			}
			m.misconfigured(err)

			return sobek.Undefined()
		}
		if last != "" {
			o.Executor["after"], config.After = last, null.StringFrom(last)
		}
		last = o.Scenario
		made, err := m.scenarios(o, config)
		if err != nil {
			m.misconfigured(err)

			return sobek.Undefined()
		}
		maps.Copy(scenarios, made)
		maps.Copy(thresholds, thresholdsOf(o, config))
	}

	return m.object(map[string]any{"scenarios": scenarios, "thresholds": thresholds})
}

func (m *module) scenarios(o *sweepOptions, config *executor.Config) (map[string]any, error) {
	if !o.Portable {
		return map[string]any{o.Scenario: o.Executor}, nil
	}
	made, err := executor.Portable(config, m.results)
	if err != nil {
		err = fmt.Errorf("sweep.options: portable: %w", err)
	}

	return made, err
}

func thresholdsOf(o *sweepOptions, config *executor.Config) map[string]any {
	thresholds := map[string]any{}
	if config.Find == nil { // where an incomplete step only misses the bound
		thresholds[stream.MetricIncomplete] = []any{"count==0"}
	}
	if o.Portable { // if no client reaches sweep.run, nothing else can be judged
		thresholds[stream.MetricOps] = []any{"count>0"}
	}
	if !config.AllowFailed.Some() {
		thresholds[stream.MetricFailed] = []any{"count==0"}
	}
	maps.Copy(thresholds, o.Thresholds)

	return thresholds
}

// readSweep reads the options, and the executor's view of them.
func (m *module) readSweep(value sobek.Value) (*sweepOptions, *executor.Config, error) {
	o, err := m.readOptions(value)
	if err != nil {
		return nil, nil, err
	}
	config, err := o.config()
	if err != nil {
		return nil, nil, err
	}
	planned := config.Planned()
	if err := m.applyGates(o, planned.Ops); err != nil || o.Gates == nil {
		return o, config, err
	}

	return o, config, o.Gates.Check(planned)
}

// object converts values to plain JavaScript objects, which scripts can change.
func (m *module) object(values map[string]any) sobek.Value {
	raw, err := json.Marshal(values)
	if err != nil {
		throw(m.vu.Runtime(), err)
	}

	return m.parsed(raw)
}

func (m *module) parsed(raw []byte) sobek.Value {
	rt := m.vu.Runtime()
	parse, _ := sobek.AssertFunction(rt.Get("JSON").ToObject(rt).Get("parse"))
	object, err := parse(sobek.Undefined(), rt.ToValue(string(raw)))
	if err != nil {
		throw(rt, err)
	}

	return object
}
