package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxApart is the longest time between the starts of parts without a common step. Parts of one run
// start together, but on machines with different clocks.
const maxApart = time.Minute

// Merge combines the parts of one run that several k6 instances measured, each with its execution
// segment. The segments must cover the run exactly once, and the parts must agree in parameters and
// target. The result is as if one instance had measured it: histograms are merged and counts are
// added. The server's CPU time is the highest of the parts, since all read the same server.
//
// The parts of a step are placed on one time line by their machines' clocks. The step time is the
// time in which at least one part ran. A step whose parts ran together for less than leastOverlap
// of the shortest part's time is incomplete, with a note.
//
// The host comes from the first part; different hosts are listed in params.hosts. Gate verdicts are
// dropped, because they apply to a part only. Errors name parts by number, from 1.
func Merge(parts ...*Report) (merged *Report, notes []string, err error) {
	if len(parts) < 2 {
		return nil, nil, errors.New("a merge needs at least 2 parts")
	}
	segments, err := wholeRun(parts)
	if err != nil {
		return nil, nil, err
	}
	for i, part := range parts[1:] {
		if err := sameRun(parts[0], part); err != nil {
			return nil, nil, fmt.Errorf("parts 1 and %d are not of one run: %w", i+2, err)
		}
	}

	merged = mergedFacts(parts)
	if merged.Script, err = mergedScript(parts); err != nil {
		return nil, nil, err
	}
	runs := make([]stepsByRun, len(parts))
	for i, part := range parts {
		runs[i] = newStepsByRun(part)
	}
	for _, id := range runIDs(parts) {
		steps, err := mergeStep(runs, segments, id, merged.Script != nil)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", id, err)
		}
		merged.Steps = append(merged.Steps, steps...)
	}
	if !together(merged.Steps) {
		if err := sameTime(parts); err != nil {
			return nil, nil, err
		}
	}
	if err := merged.Validate(); err != nil {
		return nil, nil, fmt.Errorf("the parts do not fit together: %w", err)
	}

	return merged, timeNotes(merged.Steps), nil
}

func mergedFacts(parts []*Report) *Report {
	merged := *parts[0]
	merged.Gates = nil
	merged.Tables = mergedTables(parts)
	merged.Marks = mergedMarks(parts)
	merged.Quiet = worstQuiet(parts)
	merged.Params = mergedParams(parts)
	merged.Steps = []Step{}
	for _, part := range parts {
		merged.Interrupted = merged.Interrupted || part.Interrupted
		if part.Started.Before(merged.Started) {
			merged.Started = part.Started
		}
	}

	return &merged
}

// sameRun returns how two parts differ in what the parts of a run share.
func sameRun(a, b *Report) error {
	if a.Search != nil || b.Search != nil {
		return errors.New("one is of a search, whose steps depend on what it measured itself")
	}
	for _, d := range differences(a, b) {
		root, name, _ := strings.Cut(d.Name, ".")
		if root == "scenario" || root == "k6" || root == "params" && name != segmentParam || root == "target" && (name == "kind" || name == "version") {
			return errors.New(d.String())
		}
	}

	return nil
}

// sameTime refuses parts that did not run at the same time, whose ops/s cannot be added.
func sameTime(parts []*Report) error {
	first, last := 0, 0
	for i, part := range parts {
		if part.Started.Before(parts[first].Started) {
			first = i
		}
		if part.Started.After(parts[last].Started) {
			last = i
		}
	}
	if apart := parts[last].Started.Sub(parts[first].Started); apart > maxApart {
		return fmt.Errorf("parts %d and %d did not run at the same time: they started %s apart, and at most %s is right",
			min(first, last)+1, max(first, last)+1, apart.Round(time.Second), maxApart)
	}

	return nil
}

// mergedParams returns the parameters of the first part without its segment, and with hosts of
// other classes.
func mergedParams(parts []*Report) map[string]any {
	params := map[string]any{}
	for name, value := range parts[0].Params {
		if name != segmentParam {
			params[name] = value
		}
	}
	known := []Host{parts[0].Host}
	var others []Host
	for _, part := range parts[1:] {
		if !slices.ContainsFunc(known, part.Host.sameClass) {
			known = append(known, part.Host)
			others = append(others, part.Host)
		}
	}
	if len(others) > 0 {
		params["hosts"] = others
	}

	return params
}
