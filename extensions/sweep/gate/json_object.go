package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// object reads the keys of a JSON object and remembers which are left.
type object struct {
	path   string // such as "absolute[0]"; empty for the file itself
	values map[string]json.RawMessage
	known  []string
}

// newObject reads an object. Unknown and duplicate keys are errors.
func newObject(path string, raw json.RawMessage, known ...string) (*object, error) {
	o := &object{path: path, values: map[string]json.RawMessage{}, known: known}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, fmt.Errorf("%s must be an object with the keys %s", o.where(), strings.Join(known, ", "))
	}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.where(), err)
		}
		key, _ := token.(string)
		if !slices.Contains(known, key) {
			return nil, fmt.Errorf("%s: unknown key %q; known are %s", o.where(), key, strings.Join(known, ", "))
		}
		if _, twice := o.values[key]; twice {
			return nil, fmt.Errorf("%s: the key %q is there twice", o.where(), key)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, fmt.Errorf("%s: %w", o.name(key), err)
		}
		o.values[key] = value
	}

	return o, nil
}

func (o *object) where() string {
	if o.path == "" {
		return "the file"
	}

	return o.path
}

func (o *object) name(key string) string {
	if o.path == "" {
		return key
	}

	return o.path + "." + key
}

func (o *object) has(key string) bool {
	_, there := o.values[key]

	return there
}

func (o *object) wrong(key, must string) error {
	if !o.has(key) {
		return fmt.Errorf("%s is missing: it must be %s", o.name(key), must)
	}
	value := string(o.values[key])
	if len(value) > maxShown {
		value = strings.ToValidUTF8(value[:maxShown], "") + "..."
	}

	return fmt.Errorf("%s is %s: it must be %s", o.name(key), strings.Join(strings.Fields(value), " "), must)
}

func (o *object) text(key, must string) (string, error) {
	var s *string
	if err := json.Unmarshal(o.values[key], &s); err != nil || s == nil || *s == "" {
		return "", o.wrong(key, must)
	}

	return *s, nil
}

// number reads a number above 0 and below high.
func (o *object) number(key string, high float64, must string) (float64, error) {
	var n *float64
	if err := json.Unmarshal(o.values[key], &n); err != nil || n == nil || *n <= 0 || *n >= high {
		return 0, o.wrong(key, must)
	}

	return *n, nil
}

func (o *object) positive(key string) (float64, error) {
	return o.number(key, math.Inf(1), "a number above 0")
}

// list reads an array of 1 to maxGates objects.
func (o *object) list(key string) ([]json.RawMessage, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(o.values[key], &items); err != nil || len(items) == 0 || len(items) > maxGates {
		return nil, o.wrong(key, fmt.Sprintf("an array of 1 to %d gates", maxGates))
	}

	return items, nil
}
