package gate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// BaselineSchema is the version of a baseline's JSON.
const BaselineSchema = "xk6-sweep-baseline/1"

// ErrDoesNotFit is returned for a run that cannot be compared with the recorded ones.
var ErrDoesNotFit = errors.New("it does not fit to the recorded runs")

// Baseline holds recorded runs, whose spread shows how much runs differ by chance.
type Baseline struct {
	Schema   string           `json:"schema"`
	Scenario string           `json:"scenario"`
	Runs     []*report.Report `json:"runs"` // in recording order
}

// ReadBaseline reads a baseline.
func ReadBaseline(raw []byte) (*Baseline, error) {
	raw, err := report.UTF8(raw)
	if err != nil {
		return nil, err
	}
	var head struct {
		Schema   string            `json:"schema"`
		Scenario string            `json:"scenario"`
		Runs     []json.RawMessage `json:"runs"`
	}
	if err := json.Unmarshal(raw, &head); err != nil || head.Schema != BaselineSchema {
		if _, err := report.Read(raw); err != nil {
			return nil, err // it names the problem
		}

		return nil, errors.New("it is a report, and not a baseline: k6 x sweep record REPORT makes one of it")
	}
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&head); err != nil {
		return nil, fmt.Errorf("%s; known are schema, scenario, runs", strings.Replace(err.Error(), "json: unknown field", "unknown key", 1))
	}
	if len(head.Runs) == 0 {
		return nil, errors.New("the baseline has no runs")
	}
	b := &Baseline{Schema: BaselineSchema, Scenario: head.Scenario}
	for i, run := range head.Runs {
		r, err := report.Read(run)
		if err == nil {
			err = b.Add(r)
		}
		if err != nil {
			return nil, fmt.Errorf("runs[%d]: %w", i, err)
		}
	}

	return b, nil
}

// Add adds a run, without its gates, tables and figures over time. It refuses a run that is
// interrupted, incomplete, empty, failed, a part of a run, recorded already, or not comparable with
// the others.
func (b *Baseline) Add(r *report.Report) error {
	if b.Scenario == "" {
		b.Schema, b.Scenario = BaselineSchema, r.Scenario
	}
	if r.Scenario != b.Scenario {
		return fmt.Errorf("%w: it is of scenario %q, and they are of %q", ErrDoesNotFit, r.Scenario, b.Scenario)
	}
	if problem := flaw(r); problem != "" {
		return fmt.Errorf("%s is no baseline: %s", r.Scenario, problem)
	}
	for _, other := range b.Runs {
		if !r.Started.IsZero() && r.Started.Equal(other.Started) {
			return fmt.Errorf("the run of %s is in the baseline already", r.Started.UTC().Format("2006-01-02T15:04:05.999Z"))
		}
	}
	if differences := b.differences(r); len(differences) > 0 {
		return fmt.Errorf("%w: %s", ErrDoesNotFit, strings.Join(differences, "; "))
	}
	b.Runs = append(b.Runs, kept(r))

	return nil
}

func kept(r *report.Report) *report.Report {
	kept := *r
	kept.Gates, kept.Tables = nil, nil
	kept.Steps = slices.Clone(r.Steps)
	for i := range kept.Steps {
		s := &kept.Steps[i]
		s.OverTime, s.Slowest = nil, nil
		if s.Witness != nil {
			w := *s.Witness
			w.OverTime = nil
			s.Witness = &w
		}
	}

	return &kept
}

// Last keeps the last n runs.
func (b *Baseline) Last(n int) { b.Runs = b.Runs[max(0, len(b.Runs)-n):] }

// JSON renders the baseline as indented JSON with a final newline.
func (b *Baseline) JSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(b); err != nil {
		return nil, fmt.Errorf("baseline of %s: %w", b.Scenario, err)
	}

	return out.Bytes(), nil
}

func (b *Baseline) keys() (keys []report.Key) {
	if b == nil {
		return nil
	}
	for _, r := range b.Runs {
		for _, g := range r.Groups() {
			if !slices.Contains(keys, g.Key) {
				keys = append(keys, g.Key)
			}
		}
	}

	return keys
}

// values returns the median over repeats of a step's figure in each recorded run, and the fewest
// operations of a run. doubt says why if a run has too few operations.
func (b *Baseline) values(key report.Key, f *report.Figure) (values []float64, operations int64, doubt string) {
	for _, r := range b.Runs {
		for _, g := range r.Groups() {
			if g.Key != key {
				continue
			}
			values = append(values, report.Median(g.Values(f.Of)))
			if n := g.Timings(); operations == 0 || n < operations {
				operations = n
			}
			if little := f.RestsOnLittle(&g); little != "" {
				doubt = "in the baseline, " + little
			}
		}
	}

	return values, operations, doubt
}

func (b *Baseline) differences(r *report.Report) []string {
	if len(b.Runs) == 0 {
		return nil
	}

	return report.Differences(b.Runs[len(b.Runs)-1], r)
}

// LoadBaseline reads the recorded runs that Relative.Baseline names. file is the path of f. A
// missing baseline is not an error: NoBaseline then returns how to record one.
func (f *File) LoadBaseline(file string, read func(path string) ([]byte, error)) error {
	if f.Relative == nil || f.Relative.Baseline == "" {
		return nil
	}
	f.recorded = filepath.Join(filepath.Dir(file), filepath.FromSlash(f.Relative.Baseline))
	raw, err := read(f.recorded)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var b *Baseline
	if err == nil {
		b, err = ReadBaseline(raw)
	}
	if err == nil {
		err = f.setBaseline(b)
	}
	if err != nil {
		return fmt.Errorf("baseline %s: %w", f.recorded, err)
	}

	return nil
}

// NoBaseline says how to record the missing runs for the relative gates; "" if nothing is missing.
func (f *File) NoBaseline() string {
	if f.Relative == nil || f.Relative.Baseline == "" || f.baseline != nil {
		return ""
	}
	to := f.recorded
	if dir, err := os.Getwd(); err == nil {
		if path, err := filepath.Rel(dir, to); err == nil && filepath.IsLocal(path) {
			to = path
		}
	}

	return fmt.Sprintf("there is no baseline yet: run it %d times, and after each run k6 x sweep record RUN.json -o %s",
		stats.FewestRuns, to)
}

// NoBase says what relative gates without a baseline lack in a run that is no duet; "" if nothing.
func (f *File) NoBase() string {
	if f.Relative == nil || f.Relative.Baseline != "" {
		return ""
	}

	return fmt.Sprintf("relative gates need a duet or a baseline, and this run is no duet: "+
		"add \"baseline\": \"baselines/%s.json\" to \"relative\", run it %d times, and after each run k6 x sweep record RUN.json",
		f.Scenario, stats.FewestRuns)
}

func (f *File) setBaseline(b *Baseline) error {
	if b.Scenario != f.Scenario {
		return fmt.Errorf("it is of scenario %q, and must be of %q", b.Scenario, f.Scenario)
	}
	f.baseline = b

	return nil
}

func (f *File) judgeFit(r *report.Report) report.Verdict {
	switch {
	case f.baseline == nil:
		return undecided("not judged: " + f.NoBaseline())
	case len(r.Duets) > 0:
		return held("not asked: the run is a duet, and has its base in itself")
	}
	if differences := f.baseline.differences(r); len(differences) > 0 {
		return undecided(strings.Join(differences, "; "))
	}

	return held("same class of host, target and parameters")
}

// summaryFigures are the figures shown with their spread between runs.
var summaryFigures = []*report.Figure{report.FigureOf("ops_per_second"), report.FigureOf("p99")} //nolint:gochecknoglobals // a table

// String describes the recorded runs, the machine, the spread, and the smallest detectable change.
func (b *Baseline) String() string {
	last := b.Runs[len(b.Runs)-1]
	text := fmt.Sprintf("baseline of %s: %s of %s, on %s (%s, %s)", b.Scenario, report.Plural(len(b.Runs), "run"),
		report.Plural(len(b.keys()), "step"), last.Host.CPU, report.Plural(last.Host.Cores, "core"), last.Host.OS)
	if needed := stats.FewestRuns - len(b.Runs); needed > 0 {
		return fmt.Sprintf("%s; it takes %s to judge by it", text, report.Plural(needed, "more run"))
	}
	var lines strings.Builder
	for _, key := range b.keys() {
		var parts []string
		for _, f := range summaryFigures {
			values, _, doubt := b.values(key, f)
			if len(values) == 0 || doubt != "" {
				continue
			}
			e, err := stats.Another(values, report.Median(values), 1-report.DefaultAlpha)
			if err != nil {
				continue
			}
			parts = append(parts, fmt.Sprintf("%s differs by %s, a gate could see %s",
				f.Name, stats.Percent(e.Deviation()), stats.Percent(e.Visible())))
		}
		if len(parts) > 0 {
			lines.WriteString("\n  " + StepName(key) + ": " + strings.Join(parts, "; "))
		}
	}

	return text + lines.String()
}
