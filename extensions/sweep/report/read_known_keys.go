package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// checkKeys checks the JSON against the structs: required keys exist, no others do, and values have
// the right kind. encoding/json would silently use zero values.
func checkKeys(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return oneLine(err)
	}

	return checkValue(reflect.TypeFor[Report](), value, "")
}

func checkValue(t reflect.Type, value any, path string) error {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Interface { // a cell of a table
		return checkCell(value, path)
	}
	if !isKind(t, value) {
		return fmt.Errorf("%s is %s instead of %s", named(path), kindOfValue(value), kindOf(t))
	}

	switch v := value.(type) {
	case map[string]any:
		if t.Kind() == reflect.Struct {
			return checkStruct(t, v, path)
		}

		return checkMap(t, v, path)
	case []any:
		for i, element := range v {
			if err := checkValue(t.Elem(), element, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	}

	return nil
}

func checkCell(value any, path string) error {
	switch value.(type) {
	case nil, string, json.Number:
		return nil
	}

	return fmt.Errorf("%s is %s instead of a string, a number or null", named(path), kindOfValue(value))
}

func checkStruct(t reflect.Type, object map[string]any, path string) error {
	known := make(map[string]bool, t.NumField())
	for i := range t.NumField() {
		key, optional := jsonKey(t.Field(i))
		if key == "-" {
			continue
		}
		known[key] = true
		value, found := object[key]
		switch {
		case found:
			if err := checkValue(t.Field(i).Type, value, within(path, key)); err != nil {
				return err
			}
		case !optional:
			return fmt.Errorf("%s has no key %q", named(path), key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !known[key] {
			return fmt.Errorf("%s has the unknown key %q", named(path), key)
		}
	}

	return nil
}

func checkMap(t reflect.Type, object map[string]any, path string) error {
	if t.Elem().Kind() == reflect.Interface {
		return nil // target and params hold any values
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if err := checkValue(t.Elem(), object[key], fmt.Sprintf("%s[%q]", path, key)); err != nil {
			return err
		}
	}

	return nil
}

// within returns the path of a key; path is empty for the report itself.
func within(path, key string) string {
	if path == "" {
		return key
	}

	return path + "." + key
}

func named(path string) string {
	if path == "" {
		return "the report"
	}

	return path
}

// jsonKey returns a field's key, and whether it may be missing.
func jsonKey(field reflect.StructField) (key string, optional bool) {
	key, options, _ := strings.Cut(field.Tag.Get("json"), ",")

	return key, options == "omitempty" || options == "omitzero"
}

// isKind reports whether a JSON value can have type t. encoding/json checks the range of numbers.
func isKind(t reflect.Type, value any) bool {
	switch value.(type) {
	case string:
		return t.Kind() == reflect.String || t == reflect.TypeFor[time.Time]()
	case bool:
		return t.Kind() == reflect.Bool
	case json.Number:
		return t.ConvertibleTo(reflect.TypeFor[float64]())
	case []any:
		return t.Kind() == reflect.Slice
	case map[string]any:
		return t.Kind() == reflect.Map || t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]()
	}

	return false
}

// kindOf names a type for an error.
func kindOf(t reflect.Type) string {
	switch t.Kind() { //nolint:exhaustive // the others are integers
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Uint64:
		return "an integer that is not negative"
	case reflect.Slice:
		return "a list"
	case reflect.Map:
		return "an object"
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return "a time such as \"2026-01-31T12:00:00Z\""
		}

		return "an object"
	}

	return "an integer"
}

// kindOfValue names the kind of a JSON value for an error.
func kindOfValue(value any) string {
	switch value.(type) {
	case string:
		return "a string"
	case bool:
		return "true or false"
	case json.Number:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}

	return "null"
}
