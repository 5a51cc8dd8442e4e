package gate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const (
	maxFile  = 1 << 20 // bytes of a gate file
	maxGates = 1000    // entries of "absolute"
	maxShown = 60      // bytes of a wrong value in an error
)

// Parse reads a gate file. Its errors are one line that names the key and the right form; the
// caller adds the file name. With relative gates, call LoadBaseline next.
func Parse(raw []byte) (*File, error) { //nolint:cyclop // one case for each kind of gate
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
	o, err := newObject("", whole, "$schema", "scenario", "absolute", "relative", "undecided")
	if err != nil {
		return nil, err
	}

	f := &File{}
	if o.has("$schema") {
		if _, err := o.text("$schema", "the path of schema.json"); err != nil {
			return nil, err
		}
	}
	if f.Scenario, err = o.text("scenario", "the name of the scenario that the gates are for"); err != nil {
		return nil, err
	}
	if !o.has("absolute") && !o.has("relative") {
		return nil, errors.New(`there are no gates: the file must have "absolute", "relative" or both`)
	}
	if o.has("absolute") {
		if f.Absolute, err = parseAbsolute(o); err != nil {
			return nil, err
		}
	}
	if o.has("relative") {
		if f.Relative, err = parseRelative(o.values["relative"]); err != nil {
			return nil, err
		}
	}

	if f.UndecidedPass, err = parseUndecided(o); err != nil {
		return nil, err
	}

	return f, nil
}

func parseUndecided(o *object) (pass bool, err error) {
	const key, must = "undecided", `"fail" or "pass"; without it, "fail"`
	if !o.has(key) {
		return false, nil
	}
	text, err := o.text(key, must)
	if err != nil {
		return false, err
	}
	if text != "pass" && text != "fail" {
		return false, o.wrong(key, must)
	}

	return text == "pass", nil
}

func parseAbsolute(o *object) ([]Absolute, error) {
	items, err := o.list("absolute")
	if err != nil {
		return nil, err
	}

	gates := make([]Absolute, len(items))
	places := map[string]int{}
	for i, item := range items {
		if gates[i], err = parseGate(fmt.Sprintf("absolute[%d]", i), item); err != nil {
			return nil, err
		}
		for _, bound := range gates[i].Bounds {
			subject := fmt.Sprintf("%s of %s", bound.Figure.Name, gates[i].steps())
			if first, twice := places[subject]; twice {
				return nil, fmt.Errorf("absolute[%d] bounds %s a second time, after absolute[%d]", i, subject, first)
			}
			places[subject] = i
		}
	}

	return gates, nil
}

func parseGate(path string, raw json.RawMessage) (Absolute, error) {
	var g Absolute
	known := []string{"op", "clients", "rate"}
	bounds := boundKeys(alsoBounded())
	o, err := newObject(path, raw, append(known, bounds...)...)
	if err != nil {
		return g, err
	}
	if g.Op, err = o.text("op", "the name of a kind of operation"); err != nil {
		return g, err
	}
	if o.has("clients") {
		const must = "an integer from 1"
		clients, err := o.number("clients", math.MaxInt32, must)
		if err != nil || clients != math.Trunc(clients) {
			return g, o.wrong("clients", must)
		}
		g.Clients = int(clients)
	}
	if o.has("rate") {
		if g.Rate, err = o.positive("rate"); err != nil {
			return g, err
		}
	}
	for _, f := range alsoBounded() {
		if !o.has(keyOf(f)) {
			continue
		}
		value, err := o.bound(f)
		if err != nil {
			return g, err
		}
		g.Bounds = append(g.Bounds, Bound{Figure: f, Value: value})
	}
	if len(g.Bounds) == 0 {
		return g, fmt.Errorf("%s bounds nothing: it must have one of %s", path, strings.Join(bounds, ", "))
	}

	return g, inOrder(path, g.Bounds)
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

func parseRelative(raw json.RawMessage) (*Relative, error) {
	tolerances := boundKeys(bounded())
	o, err := newObject("relative", raw, slices.Concat([]string{"baseline"}, tolerances, []string{"alpha"})...)
	if err != nil {
		return nil, err
	}

	const path = "the path of recorded runs, from the folder of this file"
	r := &Relative{Alpha: report.DefaultAlpha}
	if o.has("baseline") {
		if r.Baseline, err = o.text("baseline", path); err != nil {
			return nil, err
		}
	}
	if filepath.IsAbs(r.Baseline) || strings.HasPrefix(r.Baseline, "/") {
		return nil, o.wrong("baseline", path)
	}
	for _, f := range bounded() {
		if !o.has(keyOf(f)) {
			continue
		}
		part, err := o.tolerance(f)
		if err != nil {
			return nil, err
		}
		r.Tolerances = append(r.Tolerances, Tolerance{Figure: f, Part: part})
	}
	if len(r.Tolerances) == 0 {
		return nil, fmt.Errorf("relative bounds nothing: it must have one of %s", strings.Join(tolerances, ", "))
	}
	if o.has("alpha") {
		if r.Alpha, err = o.number("alpha", 1, "a number above 0 and below 1; without it, 0.05"); err != nil {
			return nil, err
		}
	}

	return r, nil
}
