package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Immaterial reports whether a parameter does not affect the figures: the results folder, table
// columns, or the seed of a random order.
func Immaterial(param string) bool {
	return slices.Contains([]string{"results", IntervalsParam}, param)
}

// maxShown is the most bytes of a setting that are shown.
const maxShown = 80

// Differences lists what differs between two runs besides their figures: class of host,
// fingerprint, target and parameters. It is empty if the runs can be compared.
func Differences(before, after *Report) []string {
	var found []string
	for _, fact := range []struct {
		name          string
		before, after any
	}{
		{"host.cpu", before.Host.CPU, after.Host.CPU},
		{"host.cores", before.Host.Cores, after.Host.Cores},
		{"host.os", before.Host.OS, after.Host.OS},
		{"target.kind", before.Target["kind"], after.Target["kind"]},
		{"target.version", before.Target["version"], after.Target["version"]},
		{"target.driver", before.Target["driver"], after.Target["driver"]},
	} {
		if text := difference(fact.name, fact.before, fact.after); text != "" {
			found = append(found, text)
		}
	}

	found = append(found, fingerprintDifferences(before.Fingerprint, after.Fingerprint)...)

	return append(found, paramDifferences(before, after)...)
}

// paramDifferences lists the parameters that differ, sorted by name, without immaterial and ignored
// ones.
func paramDifferences(before, after *Report, ignored ...string) []string {
	names := map[string]any{}
	maps.Copy(names, before.Params)
	maps.Copy(names, after.Params)
	maps.DeleteFunc(names, func(name string, _ any) bool { return Immaterial(name) || slices.Contains(ignored, name) })
	var found []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if text := difference("params."+name, before.Params[name], after.Params[name]); text != "" {
			found = append(found, text)
		}
	}

	return found
}

// difference describes how two facts differ; "" if they are equal.
func difference(name string, before, after any) string {
	a, b := plain(before), plain(after)
	if reflect.DeepEqual(a, b) {
		return ""
	}

	return fmt.Sprintf("%s differs: %s and %s", name, shown(a), shown(b))
}

// plain returns the value as it would be read from a file, where number types differ.
func plain(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v) // such as a function, which JSON cannot hold
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		return string(raw)
	}

	return out
}

func shown(v any) string {
	if v == nil {
		return "nothing"
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	if len(raw) > maxShown {
		return strings.ToValidUTF8(string(raw[:maxShown]), "") + "..."
	}

	return string(raw)
}
