package jsmodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/options"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/portable"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// options is sweep.options({...}), declared in index.d.ts.
func (m *module) options(call sobek.FunctionCall) sobek.Value {
	o, config, err := m.readSweep(call.Argument(0))
	if err != nil {
		if !errors.As(err, new(wrongSetting)) {
			err = fmt.Errorf("sweep.options: %w", err)
		}
		m.misconfigured(err)

		return sobek.Undefined()
	}
	o.Executor["executor"] = options.ExecutorType
	scenarios := map[string]any{o.Scenario: o.Executor}
	if o.Portable {
		if scenarios, err = portable.Scenarios(config, m.results); err != nil {
			m.misconfigured(fmt.Errorf("sweep.options: portable: %w", err))

			return sobek.Undefined()
		}
	}
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

	return m.object(map[string]any{"scenarios": scenarios, "thresholds": thresholds})
}

// readSweep reads the options, and the executor's view of them.
func (m *module) readSweep(value sobek.Value) (*sweepOptions, *options.Config, error) {
	o, err := m.readOptions(value)
	if err != nil {
		return nil, nil, err
	}
	config, err := o.config()
	if err != nil {
		return nil, nil, err
	}
	if o.Gates != nil {
		err = o.Gates.Check(config.Planned())
	}

	return o, config, err
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
