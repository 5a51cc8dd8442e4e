package jsmodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
)

const defaultScenario = "default"

type sweepOptions struct {
	Scenario   string
	Portable   bool
	Thresholds map[string]any // including the thresholds for gates
	Gates      *gate.File     // may be nil
	Executor   map[string]any // options of the executor
}

func (m *module) readOptions(value sobek.Value) (*sweepOptions, error) {
	exported, err := k6x.Export(value)
	if err != nil {
		return nil, fmt.Errorf("takes options that can be read: %w", err)
	}
	given, ok := exported.(map[string]any)
	if !ok {
		return nil, errors.New("takes an object of options")
	}
	o := &sweepOptions{Scenario: defaultScenario, Executor: maps.Clone(given)}
	own := []string{"scenario", "gates", "thresholds", "portable"}
	known := slices.Concat(own, input.Names(reflect.TypeFor[executor.Config]()))
	for name := range given {
		if !slices.Contains(known, name) {
			return nil, executor.UnknownOption(name, known)
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
	if named, is := given["executor"]; is && named != executor.Type {
		return nil, fmt.Errorf("executor is always '%s'; portable: true makes scenarios of k6's own", executor.Type)
	}
	o.Executor["executor"] = executor.Type
	if portable, is := given["portable"]; is {
		if o.Portable, ok = portable.(bool); !ok {
			return nil, errors.New("portable must be true or false")
		}
	}

	if err := m.readGates(given, o); err != nil {
		return nil, err
	}

	return o, m.apply(o)
}

func (m *module) readGates(given map[string]any, o *sweepOptions) (err error) {
	o.Thresholds = map[string]any{}
	if path, is := given["gates"]; is && path != nil {
		text, ok := path.(string)
		if !ok || text == "" {
			return errors.New("gates must be the path of a file of gates, such as '../thresholds/x.json'")
		}
		if o.Gates, err = m.loadGates(text); err != nil {
			return err
		}
	}
	switch thresholds := given["thresholds"].(type) {
	case nil:
	case map[string]any:
		maps.Copy(o.Thresholds, thresholds)
	case string:
		return fmt.Errorf("thresholds must be an object of k6's own thresholds; a file of gates is named by gates: '%s'", thresholds)
	default:
		return errors.New("thresholds must be an object of k6's own thresholds, such as { 'sweep_p99{clients:8}': ['value<5'] }")
	}

	return nil
}

func (o *sweepOptions) config() (*executor.Config, error) {
	for _, name := range slices.Sorted(maps.Keys(o.Executor)) {
		if _, err := json.Marshal(o.Executor[name]); err != nil {
			return nil, notData(name)
		}
	}
	raw, err := json.Marshal(o.Executor)
	if err != nil {
		return nil, err
	}
	config, err := executor.Read(o.Scenario, raw)
	if err != nil {
		return nil, err
	}

	return config, errors.Join(config.Validate()...)
}

// notData is the error for an option that JSON cannot hold.
func notData(name string) error {
	if name == "variants" {
		return errors.New("variants must be an array of names, such as ['base', 'change']; sweep.step().variant says which one is at work")
	}

	return fmt.Errorf("%s must be a number, a string, an array or an object, and has something else in it, such as a function or NaN", name)
}
