package gate

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const (
	maxFile  = 1 << 20 // bytes of a gate file
	maxShown = 60      // bytes of a wrong value in an error
)

//go:embed schema.json
var schema string

// Schema returns the JSON Schema of gate files. Parse also refuses duplicate keys and gates, and
// bounds that contradict each other.
func Schema() string { return schema }

var compiled = sync.OnceValue(func() *jsonschema.Schema { //nolint:gochecknoglobals // compiled once
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		panic(err) // the schema is part of this package
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("gates.json", document); err != nil {
		panic(err)
	}

	return c.MustCompile("gates.json")
})

// Parse reads a gate file. Its errors are one line that names the key and the right form; the
// caller adds the file name. With relative gates, call LoadBaseline next.
func Parse(raw []byte) (*File, error) {
	if len(raw) > maxFile {
		return nil, fmt.Errorf("the file has %d bytes, more than %d", len(raw), maxFile)
	}
	raw, err := report.UTF8(raw)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, errors.New("the file is empty")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(raw, &whole); err != nil {
		return nil, fmt.Errorf("the file is not JSON: %w", err)
	}
	if err := check("", compiled(), whole); err != nil {
		return nil, err
	}
	var read struct {
		Scenario  string           `json:"scenario"`
		Absolute  []map[string]any `json:"absolute"`
		Relative  map[string]any   `json:"relative"`
		Undecided string           `json:"undecided"`
	}
	if err := json.Unmarshal(raw, &read); err != nil {
		return nil, err
	}
	if read.Absolute == nil && read.Relative == nil {
		return nil, errors.New(`there are no gates: the file must have "absolute", "relative" or both`)
	}
	f := &File{Scenario: read.Scenario, UndecidedPass: read.Undecided == "pass"}
	if f.Absolute, err = readAbsolute(read.Absolute); err != nil {
		return nil, err
	}
	if read.Relative != nil {
		if f.Relative, err = readRelative(read.Relative); err != nil {
			return nil, err
		}
	}

	return f, nil
}

// check returns an error for the first value that the schema refuses, and for a key that is there
// twice. A value's title in the schema is what it must be.
func check(path string, s *jsonschema.Schema, raw json.RawMessage) error {
	if s.Ref != nil && s.Ref.Properties != nil {
		s = s.Ref
	}
	if s.Properties != nil {
		return checkObject(path, s, raw)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if list, is := value.([]any); is && s.Items2020 != nil && len(list) >= *s.MinItems && len(list) <= *s.MaxItems {
		var items []json.RawMessage
		_ = json.Unmarshal(raw, &items)
		for i, item := range items {
			if err := check(fmt.Sprintf("%s[%d]", path, i), s.Items2020, item); err != nil {
				return err
			}
		}

		return nil
	}
	if s.Validate(value) != nil {
		return wrong(path, string(raw), mustBe(s))
	}

	return nil
}

func checkObject(path string, s *jsonschema.Schema, raw json.RawMessage) error {
	where := cmp.Or(path, "the file")
	known := slices.Collect(maps.Keys(s.Properties))
	slices.SortFunc(known, func(a, b string) int { return placeOf(a) - placeOf(b) })
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return fmt.Errorf("%s must be an object with the keys %s", where, strings.Join(known, ", "))
	}
	values := map[string]json.RawMessage{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		key, _ := token.(string)
		if !slices.Contains(known, key) {
			return fmt.Errorf("%s: unknown key %q; known are %s", where, key, strings.Join(known, ", "))
		}
		if _, twice := values[key]; twice {
			return fmt.Errorf("%s: the key %q is there twice", where, key)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return fmt.Errorf("%s: %w", keyPath(path, key), err)
		}
		values[key] = value
	}
	for _, key := range known {
		value, there := values[key]
		switch {
		case there:
			if err := check(keyPath(path, key), s.Properties[key], value); err != nil {
				return err
			}
		case slices.Contains(s.Required, key):
			return fmt.Errorf("%s is missing: it must be %s", keyPath(path, key), mustBe(s.Properties[key]))
		}
	}

	return nil
}

// placeOf returns where the schema describes a key.
func placeOf(key string) int { return strings.Index(schema, `"`+key+`": {`) }

func keyPath(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }

func mustBe(s *jsonschema.Schema) string {
	if s.Title == "" && s.Ref != nil {
		return s.Ref.Title
	}

	return s.Title
}

func wrong(path, value, must string) error {
	if len(value) > maxShown {
		value = strings.ToValidUTF8(value[:maxShown], "") + "..."
	}

	return fmt.Errorf("%s is %s: it must be %s", path, strings.Join(strings.Fields(value), " "), must)
}

func readAbsolute(all []map[string]any) ([]Absolute, error) {
	var gates []Absolute
	places := map[string]int{}
	for i, one := range all {
		path := fmt.Sprintf("absolute[%d]", i)
		g := Absolute{}
		g.Op, _ = one["op"].(string)
		clients, _ := one["clients"].(float64)
		g.Clients = int(clients)
		g.Rate, _ = one["rate"].(float64)
		for _, f := range alsoBounded() {
			b := Bound{Figure: f}
			switch value := one[keyOf(f)].(type) {
			case nil:
				continue
			case float64:
				b.Value = value
			case string:
				limit, err := time.ParseDuration(value)
				if err != nil { // too long for Go
					return nil, wrong(keyPath(path, keyOf(f)), value, "shorter")
				}
				b.Value = report.Ms(limit)
			}
			g.Bounds = append(g.Bounds, b)
			subject := fmt.Sprintf("%s of %s", f.Name, g.steps())
			if first, twice := places[subject]; twice {
				return nil, fmt.Errorf("%s bounds %s a second time, after absolute[%d]", path, subject, first)
			}
			places[subject] = i
		}
		if len(g.Bounds) == 0 {
			return nil, boundsNothing(path, alsoBounded())
		}
		if err := inOrder(path, g.Bounds); err != nil {
			return nil, err
		}
		gates = append(gates, g)
	}

	return gates, nil
}

func boundsNothing(path string, figures []*report.Figure) error {
	return fmt.Errorf("%s bounds nothing: it must have one of %s", path, strings.Join(boundKeys(figures), ", "))
}

// inOrder refuses a percentile's bound above the bound of a higher one, where it would have no
// effect.
func inOrder(path string, bounds []Bound) error {
	for i, higher := range bounds {
		for _, lower := range bounds[:i] {
			if lower.Figure.Percentile != 0 && higher.Figure.Percentile != 0 && lower.Value > higher.Value {
				return fmt.Errorf("%s: %s is above %s, and would never be crossed alone: it must be at most %s",
					path, keyOf(lower.Figure), keyOf(higher.Figure), boundText(higher.Figure, higher.Value))
			}
		}
	}

	return nil
}

func readRelative(read map[string]any) (*Relative, error) {
	r := &Relative{Alpha: report.DefaultAlpha}
	r.Baseline, _ = read["baseline"].(string)
	if filepath.IsAbs(r.Baseline) { // on Windows
		return nil, wrong("relative.baseline", r.Baseline, "relative to this file")
	}
	if alpha, given := read["alpha"].(float64); given {
		r.Alpha = alpha
	}
	for _, f := range bounded() {
		if text, given := read[keyOf(f)].(string); given {
			percent, err := strconv.ParseFloat(strings.Trim(text, "+-%"), 64)
			if err != nil {
				return nil, wrong(keyPath("relative", keyOf(f)), text, "a share in percent")
			}
			r.Tolerances = append(r.Tolerances, Tolerance{Figure: f, Part: percent / 100})
		}
	}
	if len(r.Tolerances) == 0 {
		return nil, boundsNothing("relative", bounded())
	}

	return r, nil
}

// OfBounds returns gates that bound every step of each operation, by figure.
func OfBounds(scenario string, ops []string, bounds map[string]string) (*File, error) {
	gates := make([]map[string]any, len(ops))
	for i, op := range ops {
		gates[i] = map[string]any{"op": op}
		for figure, bound := range bounds {
			if number, err := strconv.ParseFloat(bound, 64); err == nil {
				gates[i][figure] = number
			} else {
				gates[i][figure] = bound
			}
		}
	}
	raw, err := json.Marshal(map[string]any{"scenario": scenario, "absolute": gates})
	if err != nil {
		return nil, err
	}

	return Parse(raw)
}
