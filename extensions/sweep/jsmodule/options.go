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

// options is sweep.options({...}): k6's options for one sweep. It takes the options of the executor
// client-sweep and
//
//	scenario    its name, and that of the report's files; "default" when not given
//	gates       the path of a file of gates, as sweep.gates takes it
//	thresholds  k6's own thresholds
//	portable    true: the same steps as scenarios of k6's own executors, for places that know only those
//
// and returns { scenarios, thresholds }, to which a script may add more. A run with a failed
// operation or an incomplete step crosses a threshold, unless allowFailed permits it or the
// thresholds given say otherwise.
//
// An option that makes no sense ends k6: the error names it.
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
	if config.Find == nil { // where an incomplete step only breaks the bound
		thresholds[stream.MetricIncomplete] = []any{"count==0"}
	}
	if o.Portable { // where nobody comes to sweep.run, there is nothing else to be judged
		thresholds[stream.MetricOps] = []any{"count>0"}
	}
	if !config.AllowFailed.Some() {
		thresholds[stream.MetricFailed] = []any{"count==0"}
	}
	maps.Copy(thresholds, o.Thresholds)

	return m.object(map[string]any{"scenarios": scenarios, "thresholds": thresholds})
}

// readSweep reads the options, and what the executor will make of them.
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

// object makes JavaScript's own objects of the values, which a script can change as any others.
func (m *module) object(values map[string]any) sobek.Value {
	raw, err := json.Marshal(values)
	if err != nil {
		throw(m.vu.Runtime(), err)
	}

	return m.parsed(raw)
}

// parsed is what JSON.parse makes of a text.
func (m *module) parsed(raw []byte) sobek.Value {
	rt := m.vu.Runtime()
	parse, _ := sobek.AssertFunction(rt.Get("JSON").ToObject(rt).Get("parse"))
	object, err := parse(sobek.Undefined(), rt.ToValue(string(raw)))
	if err != nil {
		throw(rt, err)
	}

	return object
}
