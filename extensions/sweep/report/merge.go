package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
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
		param, is := strings.CutPrefix(d.Name, "params.")
		if is && param != segmentParam || slices.Contains([]string{"scenario", "k6", "target.kind", "target.version"}, d.Name) {
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

// segmentParam is the parameter with the execution segment of a part.
const segmentParam = "segment"

const maxSegment = 200

type bounds struct {
	from, to *big.Rat
}

func (b bounds) String() string { return b.from.RatString() + ":" + b.to.RatString() }

// clients returns the segment's share of n clients.
func (b bounds) clients(n int) *big.Rat {
	length := new(big.Rat).Sub(b.to, b.from)

	return length.Mul(length, big.NewRat(int64(n), 1))
}

// fraction is a number in a segment as k6 writes it. It limits the size of what big.Rat reads.
var fraction = regexp.MustCompile(`^[0-9]+(/[0-9]+)?$`)

func parseSegment(text string) (bounds, error) {
	from, to, found := strings.Cut(text, ":")
	if len(text) > maxSegment || !found || !fraction.MatchString(from) || !fraction.MatchString(to) {
		return bounds{}, errors.New(`it must be two fractions such as "0:1/2"`)
	}
	a, known := new(big.Rat).SetString(from)
	b, alsoKnown := new(big.Rat).SetString(to)
	if !known || !alsoKnown {
		return bounds{}, errors.New("nothing can be divided by zero")
	}
	if a.Cmp(b) >= 0 || b.Cmp(big.NewRat(1, 1)) > 0 {
		return bounds{}, errors.New("its start must be before its end, and its end at most 1")
	}

	return bounds{a, b}, nil
}

// wholeRun returns the segments of the parts, which must cover the run exactly once.
func wholeRun(parts []*Report) ([]bounds, error) {
	segments := make([]bounds, len(parts))
	order := make([]int, len(parts))
	for i, part := range parts {
		text, told := part.Params[segmentParam].(string)
		if !told {
			return nil, fmt.Errorf("part %d has no params.segment: it was not run with an execution segment", i+1)
		}
		var err error
		if segments[i], err = parseSegment(text); err != nil {
			return nil, fmt.Errorf("part %d: params.segment is %q: %w", i+1, text, err)
		}
		order[i] = i
	}

	slices.SortStableFunc(order, func(a, b int) int { return segments[a].from.Cmp(segments[b].from) })
	end, before := new(big.Rat), 0
	for _, at := range order {
		switch s := segments[at]; end.Cmp(s.from) {
		case -1:
			return nil, fmt.Errorf("the parts are not the whole run: segment %s is missing", bounds{end, s.from})
		case 1:
			return nil, fmt.Errorf("parts %d and %d overlap: their segments are %s and %s",
				min(before, at)+1, max(before, at)+1, segments[min(before, at)], segments[max(before, at)])
		}
		end, before = segments[at].to, at
	}
	if whole := big.NewRat(1, 1); end.Cmp(whole) != 0 {
		return nil, fmt.Errorf("the parts are not the whole run: segment %s is missing", bounds{end, whole})
	}

	return segments, nil
}

// leastOverlap is the share of the shortest part's time in which all parts must run. With less
// overlap, the parts did not load the server together, and the step is incomplete.
const leastOverlap = 0.95

type span struct{ from, to time.Time }

// timeLine has the spans of a step's parts, by their machines' clocks.
type timeLine []span

// add adds a part. A step whose start line never opened has no time.
func (l *timeLine) add(started time.Time, seconds float64) {
	if !started.IsZero() {
		*l = append(*l, span{started, started.Add(nanoseconds(seconds, time.Second))})
	}
}

func (l timeLine) started() time.Time {
	if len(l) == 0 {
		return time.Time{}
	}

	return slices.MinFunc(l, func(a, b span) int { return a.from.Compare(b.from) }).from
}

// elapsed returns the time in which at least one part ran.
func (l timeLine) elapsed() (elapsed time.Duration) {
	end := l.started()
	for _, s := range slices.SortedFunc(slices.Values(l), func(a, b span) int { return a.from.Compare(b.from) }) {
		if s.from.After(end) {
			end = s.from
		}
		if more := s.to.Sub(end); more > 0 {
			elapsed += more
			end = s.to
		}
	}

	return elapsed
}

// overlap returns the share of the shortest part's time in which all parts ran. It is unknown for a
// single part. Parts may end at different times, as clients do.
func (l timeLine) overlap() (part float64, known bool) {
	if len(l) < 2 {
		return 0, false
	}
	from := slices.MaxFunc(l, func(a, b span) int { return a.from.Compare(b.from) }).from
	to := slices.MinFunc(l, func(a, b span) int { return a.to.Compare(b.to) }).to
	shortest := slices.MinFunc(l, func(a, b span) int { return cmp.Compare(a.to.Sub(a.from), b.to.Sub(b.from)) })
	took := shortest.to.Sub(shortest.from)
	if took == 0 {
		return 1, true // a part without duration overlaps with everything
	}

	return max(float64(to.Sub(from))/float64(took), 0), true
}

// apart reports whether the parts of a merged step overlapped too little.
func (s *Step) apart() bool { return s.Overlap != nil && *s.Overlap < leastOverlap }

// Incomplete returns why a step is incomplete; "" if it is complete.
func (s *Step) Incomplete() string {
	switch {
	case s.Complete:
		return ""
	case s.apart():
		return fmt.Sprintf("its parts were at work together for %.0f %% of the time, and at least %.0f %% is needed",
			math.Floor(100**s.Overlap), 100*leastOverlap)
	case s.TooShort != nil:
		return fmt.Sprintf("too short to measure: %s, at least %d are needed",
			Counted(int64(*s.TooShort), "operation"), measure.LeastOperations)
	}
	if why := s.missed(); why != "" {
		return why
	}
	if n := s.Extra.Unstarted; n > 0 && s.OpenLoop == nil {
		return Thousands(int64(n)) + " operations that were due were never started"
	}

	return "not every client did its whole share"
}

// together reports whether the parts overlapped in at least one step.
func together(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.Overlap != nil && *s.Overlap > 0 })
}

// timeNotes names the steps whose parts overlapped too little.
func timeNotes(steps []Step) (notes []string) {
	for i := range steps {
		if s := &steps[i]; s.apart() && (i == 0 || !SameStep(&steps[i-1], s)) {
			notes = append(notes, fmt.Sprintf("%s is not complete: %s", s.id(), s.Incomplete()))
		}
	}

	return notes
}
