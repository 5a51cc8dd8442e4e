package report

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// maxApart is how far apart parts may start that have no step whose times tell that they are of one
// run: those of one run are started together, but by clocks of several machines.
const maxApart = time.Minute

// Merge puts the parts of one run together that several instances of k6 made, each with an
// execution segment of its own (k6's --execution-segment). The segments must together be the whole
// run, once, and the parts must agree in what was run and against what. The result is as if one
// instance had made it: durations and client times are merged through their histograms, and numbers
// are summed. The processor time of a server is the highest that a part has: whichever parts run
// beside it, they read the same server's.
//
// The parts of a step are laid on one time line, by the clocks of their machines: its step time is
// that in which at least one was at work, so that what did not run at the same time does not add
// up. A step whose parts were together for less than leastOverlap of the shortest one's time is not
// complete, and the notes say so.
//
// The host is the first part's; where others are of another class, they are listed in params.hosts.
// Verdicts of gates are left out: those of a part say nothing about the whole. Errors name the
// parts by their place, from 1.
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

	return merged, timeNotes(merged.Steps, withoutStart(parts)), nil
}

// mergedFacts is the report of the whole run without its steps.
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

// withoutStart is how many steps several parts have of which one does not say when it began, as in
// reports of older builds.
func withoutStart(parts []*Report) int {
	began, unknown := map[runID]int{}, map[runID]bool{}
	for _, part := range parts {
		for at := range part.Steps {
			s := &part.Steps[at]
			if at > 0 && SameStep(&part.Steps[at-1], s) {
				continue
			}
			began[s.id()]++
			unknown[s.id()] = unknown[s.id()] || s.Started.IsZero() && s.Seconds > 0
		}
	}
	n := 0
	for id, parts := range began {
		if parts > 1 && unknown[id] {
			n++
		}
	}

	return n
}

// sameRun tells in what two parts differ that those of one run have in common.
func sameRun(a, b *Report) error {
	if a.Search != nil || b.Search != nil {
		return errors.New("one is of a search, whose steps depend on what it measured itself")
	}
	for _, fact := range []struct {
		name string
		a, b any
	}{
		{"scenario", a.Scenario, b.Scenario},
		{"k6", a.K6, b.K6},
		{"target.kind", a.Target["kind"], b.Target["kind"]},
		{"target.version", a.Target["version"], b.Target["version"]},
	} {
		if difference := difference(fact.name, fact.a, fact.b); difference != "" {
			return errors.New(difference)
		}
	}
	if differences := paramDifferences(a, b, segmentParam); len(differences) > 0 {
		return errors.New(differences[0])
	}

	return nil
}

// sameTime refuses parts that did not run at the same time: what they did a second does not add up
// to what the server did.
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

// mergedParams are the first part's without its segment, and with the hosts of the others where
// these are of another class.
func mergedParams(parts []*Report) map[string]any {
	params := map[string]any{}
	for name, value := range parts[0].Params {
		if name != segmentParam {
			params[name] = value
		}
	}
	known := []Host{parts[0].Host}
	var others []any
	for _, part := range parts[1:] {
		if !slices.ContainsFunc(known, part.Host.sameClass) {
			known = append(known, part.Host)
			others = append(others, plain(part.Host))
		}
	}
	if len(others) > 0 {
		params["hosts"] = others
	}

	return params
}
