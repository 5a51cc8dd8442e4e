package stream

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

// Tags has the possible tags of a metric's samples in one scenario.
type Tags map[string]TagValues

// TagValues are the possible values of a tag.
type TagValues struct {
	// Names are all values; nil for a range, or if unknown before the run.
	Names []string
	// Others are values that exist only if the script names no operation.
	Others []string
	// From and To limit the integers of a search; To is zero without one.
	From, To float64
	// Maybe is set if the script decides which values have samples.
	Maybe bool
}

func (v TagValues) has(value string) bool {
	if v.To == 0 {
		return v.Names == nil || slices.Contains(v.Names, value) || slices.Contains(v.Others, value)
	}
	n, err := strconv.ParseFloat(value, 64)

	return err == nil && n == math.Trunc(n) && n >= v.From && n <= v.To && FormatNumber(n) == value
}

func (v TagValues) words() []string {
	if v.To > 0 {
		return []string{FormatNumber(v.From) + " to " + FormatNumber(v.To)}
	}

	return v.Names
}

// Only returns a single value.
func Only(value string) TagValues { return TagValues{Names: []string{value}} }

// Has reports whether samples may have all these tags.
func (s Tags) Has(tags map[string]string) bool {
	for name, value := range tags {
		if values, known := s[name]; !known || !values.has(value) {
			return false
		}
	}

	return true
}

// Lacking returns which tag no sample has, and the existing ones; "" if a sample may have all.
// samples has the tags for each scenario.
func Lacking(tags map[string]string, samples []Tags) string {
	if slices.ContainsFunc(samples, func(s Tags) bool { return s.Has(tags) }) {
		return ""
	}
	names := slices.SortedFunc(maps.Keys(tags), func(a, b string) int {
		if a == "scenario" || b == "scenario" { // the scenario first, because other tags depend on it
			return map[bool]int{true: -1, false: 1}[a == "scenario"]
		}

		return strings.Compare(a, b)
	})
	for _, name := range names {
		with, problem := withTag(name, tags[name], samples)
		if problem != "" {
			return problem
		}
		samples = with
	}

	return ""
}

// withTag returns the scenarios whose samples may have the tag, or a problem.
func withTag(name, value string, samples []Tags) (with []Tags, problem string) {
	var there []string
	for _, s := range samples {
		values, known := s[name]
		if !known {
			continue
		}
		for _, words := range values.words() {
			if !slices.Contains(there, words) {
				there = append(there, words)
			}
		}
		if values.has(value) {
			with = append(with, s)
		}
	}
	switch {
	case len(with) > 0:
	case len(there) == 0:
		known := tagNames(samples)
		problem = fmt.Sprintf("no sample has the tag %s; there are %s%s",
			name, strings.Join(known, ", "), input.DidYouMean(name, known))
	default:
		problem = fmt.Sprintf("no sample has %s:%s; there are %s %s%s",
			name, value, name, strings.Join(there, ", "), input.DidYouMean(value, there))
	}

	return with, problem
}

func tagNames(samples []Tags) []string {
	names := map[string]struct{}{}
	for _, s := range samples {
		for name := range s {
			names[name] = struct{}{}
		}
	}

	return slices.Sorted(maps.Keys(names))
}

// OfOperations reports whether samples of a sweep's metric have the tag op.
func OfOperations(metric string) bool {
	return metric != MetricClientsDone && metric != MetricIncomplete
}

// AddOutcomes adds the tag outcome of counted operations.
func (s Tags) AddOutcomes(metric string) {
	if metric == MetricOps {
		s[TagOutcome] = TagValues{Names: []string{OutcomeOK, OutcomeFailed}}
	}
}

// ScenarioTags returns the tags of all samples of a scenario: the run's, its own, and its name.
func ScenarioTags(name string, own, runTags map[string]string) Tags {
	tags := Tags{}
	for _, fixed := range []map[string]string{runTags, own, {"scenario": name}} {
		for name, value := range fixed {
			tags[name] = Only(value)
		}
	}

	return tags
}

// StepTags returns the tags that identify a step in its scenario. rate may be 0 and variant "".
func StepTags(clients int64, rate float64, variant string) map[string]string {
	tags := map[string]string{"clients": strconv.FormatInt(clients, 10)}
	if rate > 0 {
		tags["rate"] = FormatNumber(rate)
	}
	if variant != "" {
		tags["variant"] = variant
	}

	return tags
}

// FormatNumber formats a number without trailing zeros or exponent.
func FormatNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
