package jsmodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/options"
)

const defaultScenario = "default"

// sweepOptions are what sweep.options takes beside the executor's own options.
type sweepOptions struct {
	Scenario   string
	Portable   bool
	Thresholds map[string]any
	Gates      *gate.File     // that the thresholds are of; nil when they are k6's own
	Executor   map[string]any // the rest
}

func (m *module) readOptions(value sobek.Value) (*sweepOptions, error) {
	exported, err := k6glue.Export(value)
	if err != nil {
		return nil, fmt.Errorf("takes options that can be read: %w", err)
	}
	given, ok := exported.(map[string]any)
	if !ok {
		return nil, errors.New("takes an object of options")
	}
	o := &sweepOptions{Scenario: defaultScenario, Executor: maps.Clone(given)}
	own := []string{"scenario", "thresholds", "portable"}
	known := slices.AppendSeq(own, maps.Keys(options.NamesAndTypes(reflect.TypeFor[options.Config]())))
	for name := range given {
		if !slices.Contains(known, name) {
			return nil, options.UnknownOption(name, known)
		}
	}
	for _, name := range own {
		delete(o.Executor, name)
	}
	if name, is := given["scenario"]; is {
		if o.Scenario, ok = name.(string); !ok || o.Scenario == "" {
			return nil, errors.New("scenario must be a name")
		}
	}
	if executor, is := given["executor"]; is && executor != options.ExecutorType {
		return nil, fmt.Errorf("executor is always '%s'; portable: true makes scenarios of k6's own", options.ExecutorType)
	}
	if portable, is := given["portable"]; is {
		if o.Portable, ok = portable.(bool); !ok {
			return nil, errors.New("portable must be true or false")
		}
	}

	return o, m.readThresholds(given["thresholds"], o)
}

// readThresholds reads k6's thresholds, or the file of gates that they are to be made of.
func (m *module) readThresholds(given any, into *sweepOptions) error {
	switch thresholds := given.(type) {
	case nil:
	case map[string]any:
		into.Thresholds = thresholds
	case string:
		file, err := m.loadGates(thresholds)
		if err != nil {
			return err
		}
		into.Gates, into.Thresholds = file, thresholdsOf(file)
	default:
		return errors.New("thresholds must be the path of a file, or an object of k6 thresholds")
	}

	return nil
}

// config reads the options as the executor will.
func (o *sweepOptions) config() (*options.Config, error) {
	given := maps.Clone(o.Executor)
	given["executor"] = options.ExecutorType
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, errors.New("an option is no number, text, array or object, such as NaN")
	}
	config, err := options.Read(o.Scenario, raw)
	if err != nil {
		return nil, err
	}

	return config, errors.Join(config.Validate()...)
}
