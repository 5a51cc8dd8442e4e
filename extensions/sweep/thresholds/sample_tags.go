package thresholds

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/nearest"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// Tags are the tags that a metric's samples have in one scenario, with the values of each.
type Tags map[string]TagValues

// TagValues are the values of a tag.
type TagValues struct {
	// Names are all values; nil where a range has them, or where they are not known before the run.
	Names []string
	// Others are values that there are only when the script names no operation.
	Others []string
	// From and to bound the integers that a search may try; to is zero where there are none.
	From, To float64
	// Maybe reports that the script decides whether there are samples with each value.
	Maybe bool
}

// has tells whether the tag may have the value.
func (v TagValues) has(value string) bool {
	if v.To == 0 {
		return v.Names == nil || slices.Contains(v.Names, value) || slices.Contains(v.Others, value)
	}
	n, err := strconv.ParseFloat(value, 64)

	return err == nil && n == math.Trunc(n) && n >= v.From && n <= v.To && stream.FormatNumber(n) == value
}

func (v TagValues) words() []string {
	if v.To > 0 {
		return []string{stream.FormatNumber(v.From) + " to " + stream.FormatNumber(v.To)}
	}

	return v.Names
}

// Only is one value.
func Only(value string) TagValues { return TagValues{Names: []string{value}} }

// has tells whether a sample may have all of these tags.
func (s Tags) has(tags map[string]string) bool {
	for name, value := range tags {
		if values, known := s[name]; !known || !values.has(value) {
			return false
		}
	}

	return true
}

// lacking says which tag no sample has, and what there is instead; empty: a sample may have them
// all. samples are those of each scenario, at least of one.
func lacking(tags map[string]string, samples []Tags) string {
	if slices.ContainsFunc(samples, func(s Tags) bool { return s.has(tags) }) {
		return ""
	}
	names := slices.SortedFunc(maps.Keys(tags), func(a, b string) int {
		if a == "scenario" || b == "scenario" { // the scenario first: the others depend on it
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

// withTag returns those scenarios whose samples may have the tag, or says that there is none.
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
			name, strings.Join(known, ", "), DidYouMean(name, known))
	default:
		problem = fmt.Sprintf("no sample has %s:%s; there are %s %s%s",
			name, value, name, strings.Join(there, ", "), DidYouMean(value, there))
	}

	return with, problem
}

// DidYouMean names the known name that is near to a name; numbers are never near.
func DidYouMean(name string, known []string) string {
	meant, near := nearest.Of(name, known)
	if _, err := strconv.ParseFloat(name, 64); err == nil || !near {
		return ""
	}

	return "; did you mean " + meant + "?"
}

// tagNames are the names of all tags.
func tagNames(samples []Tags) []string {
	names := map[string]struct{}{}
	for _, s := range samples {
		for name := range s {
			names[name] = struct{}{}
		}
	}

	return slices.Sorted(maps.Keys(names))
}

// OfOperations tells whether the samples of a sweep's metric have the tag op.
func OfOperations(metric string) bool {
	return metric != stream.MetricClientsDone && metric != stream.MetricIncomplete
}

// AddOutcomes adds the tag that counted operations have beside the others.
func (s Tags) AddOutcomes(metric string) {
	if metric == stream.MetricOps {
		s[stream.TagOutcome] = TagValues{Names: []string{stream.OutcomeOK, stream.OutcomeFailed}}
	}
}

// ScenarioTags are the tags that all samples of a scenario have: those of the run, its own, and its
// name.
func ScenarioTags(name string, own, runTags map[string]string) Tags {
	tags := Tags{}
	for _, fixed := range []map[string]string{runTags, own, {"scenario": name}} {
		for name, value := range fixed {
			tags[name] = Only(value)
		}
	}

	return tags
}
