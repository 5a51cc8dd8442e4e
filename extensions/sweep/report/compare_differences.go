package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Immaterial tells whether a parameter says nothing of what was measured: where the results went,
// which columns the tables have, and which one of the random orders the steps had.
func Immaterial(param string) bool {
	return slices.Contains([]string{"results", IntervalsParam, OrderSeedParam}, param)
}

// maxShown is how much of a differing setting is shown, in bytes.
const maxShown = 80

// Differences lists in what two runs differ other than in their figures, so that these cannot be
// compared as if only the code had changed: the host's class (processor, cores, system) and
// fingerprint, the target (kind, version, driver) and the parameters, of which the segment is one:
// a part of a run is not the whole. It is empty when the runs fit.
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

// paramDifferences lists the parameters that differ, but those to ignore, in the order of their
// names. What is immaterial is never a difference.
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

// difference tells how two facts differ, or nothing when they do not.
func difference(name string, before, after any) string {
	a, b := plain(before), plain(after)
	if reflect.DeepEqual(a, b) {
		return ""
	}

	return fmt.Sprintf("%s differs: %s and %s", name, shown(a), shown(b))
}

// plain is the value as a file has it: in a run that has just ended, a number may be of another
// type.
func plain(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v) // a function or the like, which no file can hold
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		return string(raw)
	}

	return out
}

// shown is a setting as a sentence has it: one line of bounded length.
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
