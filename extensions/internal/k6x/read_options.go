package k6x

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

// ReadOptions reads a JavaScript object into a struct, by its json tags. An unknown name, a wrong
// type, or a time without a unit is an error that names the option. Undefined and null change
// nothing.
func ReadOptions(value sobek.Value, into any) error {
	raw, err := OptionsJSON(value)
	if err != nil {
		return err
	}

	return DecodeOptions(raw, into)
}

// OptionsJSON converts options to JSON for DecodeOptions. Equal options give equal text; undefined
// and null give none.
func OptionsJSON(value sobek.Value) ([]byte, error) {
	if IsNullish(value) {
		return nil, nil
	}
	if _, ok := value.(*sobek.Object); !ok {
		return nil, fmt.Errorf("options must be an object, not %s", ShowNoURL(value))
	}

	exported, err := Export(value)
	if err != nil {
		return nil, fmt.Errorf("options cannot be read: %w", err)
	}
	if err := EachLeaf(exported, mustBeFinite); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(exported)
	if err != nil {
		return nil, fmt.Errorf("options cannot be read: %w", err)
	}

	return raw, nil
}

// EachLeaf calls fn for each value in an exported value that is neither object nor array, with its
// path, such as params.sizes[2]. It stops at fn's first error.
func EachLeaf(value any, fn func(path string, leaf any) error) error { return eachLeaf(value, "", fn) }

func eachLeaf(value any, path string, fn func(path string, leaf any) error) error {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if err := eachLeaf(v[name], strings.TrimPrefix(path+"."+name, "."), fn); err != nil {
				return err
			}
		}
	case []any:
		for i := range v {
			if err := eachLeaf(v[i], fmt.Sprintf("%s[%d]", path, i), fn); err != nil {
				return err
			}
		}
	default:
		return fn(path, value)
	}

	return nil
}

func mustBeFinite(path string, leaf any) error {
	if number, is := leaf.(float64); is && (math.IsNaN(number) || math.IsInf(number, 0)) {
		shown := strings.NewReplacer("+Inf", "Infinity", "-Inf", "-Infinity").Replace(fmt.Sprint(number))

		return fmt.Errorf("option %s must be a finite number, not %s", path, shown)
	}

	return nil
}

// DecodeOptions reads the result of OptionsJSON into a struct, as Options does.
func DecodeOptions(raw []byte, into any) error {
	if len(raw) == 0 {
		return nil
	}
	if err := checkTimes(raw, reflect.TypeOf(into).Elem()); err != nil {
		return err
	}

	return input.Decode("", raw, into)
}

// ShowNoURL is like Show, but hides text that may be a URL with a password.
func ShowNoURL(value sobek.Value) string {
	if text, ok := TextOf(value); ok && (strings.Contains(text, "://") || strings.Contains(text, "@")) {
		return "a url"
	}

	return Show(value)
}

// checkTimes rejects invalid times and times without a unit.
func checkTimes(raw []byte, options reflect.Type) error {
	var given map[string]json.RawMessage
	if options.Kind() != reflect.Struct || json.Unmarshal(raw, &given) != nil {
		return nil //nolint:nilerr // the decoder says it better
	}
	for _, field := range input.Fields(options) {
		name := field.Name
		value, is := given[name]
		if !is || field.Type != reflect.TypeFor[types.NullDuration]() {
			continue
		}
		if err := input.JSONUnit(name, value); err != nil {
			return err
		}
		var read types.NullDuration
		if json.Unmarshal(value, &read) != nil {
			return fmt.Errorf("option %s must be %s, not %s", name, DurationNoun, strings.Trim(string(value), `"`))
		}
	}

	return nil
}

// DurationNoun describes a valid time in errors.
const DurationNoun = "a time such as '5s', or a number of milliseconds from 100"
