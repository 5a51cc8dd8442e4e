package testrun

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// Sweep has the options of a sweep that thresholds depend on.
type Sweep interface {
	// SampleTags returns the tags of a metric's samples in the scenario; nil if it sends none.
	SampleTags(metric string, runTags map[string]string) stream.Tags
	// OpenLoop reports whether the steps have rates.
	OpenLoop() bool
	// Searched returns the tag that a search varies; "" without a search.
	Searched() string
	// StepClients returns the numbers of clients known before the run.
	StepClients() []int64
}

// AddStep registers a scenario of one of k6's own executors as a step of a sweep.
func (r *Results) AddStep(scenario string, sweep Sweep) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.steps == nil {
		r.steps = map[string]Sweep{}
	}
	r.steps[scenario] = sweep
}

func (r *Results) sweepOf(scenario string) Sweep {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.steps[scenario]
}

// CheckThresholds returns an error, before a sweep runs, for each threshold that k6 would judge
// wrongly: k6 takes missing samples for 0, and judges a Gauge by its last sample. judgedThresholds
// finds the others.
func (r *Results) CheckThresholds(sweep Sweep, test *lib.TestRunState) error {
	if test.RuntimeOptions.NoThresholds.Bool {
		return nil
	}
	var problems []string
	for _, of := range k6x.ThresholdsOf(test.Options.Thresholds, test.Registry) {
		if problem := r.problem(of, sweep, test); problem != "" {
			problems = append(problems, fmt.Sprintf("threshold %s: %s", of.Name, problem))
		}
	}
	if len(problems) == 0 {
		return nil
	}

	return errors.New(strings.Join(problems, "; "))
}

func (r *Results) problem(of k6x.Thresholds, sweep Sweep, test *lib.TestRunState) string {
	samples, sweepsOnly := r.samplesOf(of.Parent, test.Options.Scenarios, test.RunTags.Map())
	if len(test.Options.Scenarios) == 0 {
		samples = appendTags(samples, sweep.SampleTags(of.Parent, test.RunTags.Map()))
	}
	if stream.OwnMetric(of.Parent) {
		if problem := stream.Lacking(of.Tags.Map(), samples); problem != "" {
			return problem
		}
		if of.Parent == stream.MetricFailed && slices.ContainsFunc(of.All, isRate) {
			return "a Counter's rate is its count by the seconds of the test: write count==0; " +
				"the option allowFailed: '1%' bounds the share of operations that fail"
		}

		return ambiguous(of, samples)
	}
	group, _ := of.Tags.Get("group")
	if instead, absent := k6x.AbsentInSweep(of.Parent); absent && sweepsOnly && group == "" {
		return absentInSweep + instead
	}

	return ""
}

const absentInSweep = "the metric has no samples in a sweep: "

func isRate(t *metrics.Threshold) bool { return strings.HasPrefix(strings.TrimSpace(t.Source), "rate") }

// samplesOf returns the tags of a sweep's metric in each scenario that may send it, and whether all
// scenarios are sweeps.
func (r *Results) samplesOf(
	metric string, scenarios lib.ScenarioConfigs, runTags map[string]string,
) (samples []stream.Tags, sweepsOnly bool) {
	sweepsOnly = true
	var whole []Sweep
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		sweep, isSweep := scenarios[name].(Sweep)
		if of := r.sweepOf(name); of != nil {
			if slices.Contains(whole, of) {
				continue // another step of the sweep
			}
			whole = append(whole, of)
			sweep, isSweep = of, true
		}
		if isSweep {
			samples = appendTags(samples, sweep.SampleTags(metric, runTags))
		}
		sweepsOnly = sweepsOnly && isSweep
	}

	return samples, sweepsOnly
}

func appendTags(samples []stream.Tags, tags stream.Tags) []stream.Tags {
	if tags == nil {
		return samples
	}

	return append(samples, tags)
}

// ambiguous returns a text if a Gauge has several values. k6 would judge the last one. In a search,
// the last value is the result's.
func ambiguous(of k6x.Thresholds, samples []stream.Tags) string {
	if of.Metric.Type != metrics.Gauge {
		return ""
	}
	wanted := of.Tags.Map()
	values := map[string][]string{}
	for _, s := range samples {
		if !s.Has(wanted) {
			continue
		}
		for name, known := range s {
			if !known.Maybe && known.To == 0 {
				values[name] = append(values[name], known.Names...)
			}
		}
	}

	return lastOfSeveral(of, values)
}

// lastOfSeveral returns a text with the right form if a tag that the threshold does not name has
// several values, else "".
func lastOfSeveral(of k6x.Thresholds, values map[string][]string) string {
	var several []string
	added := ""
	for _, name := range []string{"scenario", "clients", "rate", "variant", "op"} {
		_, named := of.Tags.Get(name)
		all := unique(values[name])
		if named || len(all) < 2 {
			continue
		}
		several = append(several, name+" "+strings.Join(all, ", "))
		added += "," + name + ":" + all[len(all)-1]
		if name == "scenario" { // other tags depend on it
			break
		}
	}
	if added == "" {
		return ""
	}
	instead := of.Parent + "{" + added[1:] + "}"
	if tags, tagged := strings.CutPrefix(strings.TrimSuffix(of.Name, "}"), of.Parent+"{"); tagged {
		instead = of.Parent + "{" + tags + added + "}"
	}

	return fmt.Sprintf("k6 judges a Gauge by its last value, and there are several (%s): write one threshold for each, such as %s",
		strings.Join(several, "; "), instead)
}

func unique(values []string) []string {
	var once []string
	for _, value := range values {
		if !slices.Contains(once, value) {
			once = append(once, value)
		}
	}

	return once
}

// judgedThreshold is the result of a threshold as judged by k6.
type judgedThreshold struct {
	report.Verdict

	// void is why k6's judgement is meaningless, such as a lack of samples; else "".
	void string
}

var scenarioTag = regexp.MustCompile(`[{,]\s*scenario:\s*([^,}]+)`)

// judgedThresholds returns the results of all thresholds after k6 has judged them, in a test that
// lasted this long. A threshold with void does not hold.
func judgedThresholds(registry *metrics.Registry, scenarios []*Scenario, lasted time.Duration) (verdicts []judgedThreshold) {
	for _, of := range k6x.JudgedThresholds(registry) {
		void := ""
		if !ofAnotherSegment(of, scenarios) {
			void = voidOf(of, scenarios)
		}
		shown := of.Metric.Sink.Format(lasted)
		for _, threshold := range of.All {
			v := judgedThreshold{Verdict: report.Verdict{Threshold: true}, void: void}
			v.Gate, v.Held = of.Name+" "+threshold.Source, void == "" && !threshold.LastFailed
			v.Detail, v.Outcome = FormatValues(shown), stats.Crossed
			if void != "" {
				v.Detail = "cannot hold: " + void
			}
			if v.Held {
				v.Outcome = stats.Held
			}
			if tag := scenarioTag.FindStringSubmatch(of.Name); tag != nil {
				v.Scenario = strings.TrimSpace(tag[1])
			}
			verdicts = append(verdicts, v)
		}
	}

	return verdicts
}

// FormatValues formats a metric's values in one line, sorted by name.
func FormatValues(of map[string]float64) string {
	words := make([]string, 0, len(of))
	for _, name := range slices.Sorted(maps.Keys(of)) {
		words = append(words, name+" "+report.ThreeDigits(of[name]))
	}

	return strings.Join(words, ", ")
}

// voidOf returns why k6's judgement is meaningless, or "".
func voidOf(of k6x.Thresholds, scenarios []*Scenario) string {
	figure := stream.FigureOf(of.Parent)
	if figure == nil || len(scenarios) == 0 {
		// A Counter of a script or of another module without samples is really zero.
		if of.Metric.Sink.IsEmpty() && (of.Metric.Type != metrics.Counter || stream.OwnMetric(of.Parent)) {
			return absent(of, scenarios)
		}

		return ""
	}
	values := map[string][]string{}
	why := absent(of, scenarios)
	for _, s := range scenarios {
		if s.foundNothing(of.Tags) {
			return "the search of " + s.Report.Scenario + " has found nothing that keeps its bound"
		}
		for _, g := range s.Report.Groups() {
			if !s.isJudged(&g, of.Tags) {
				continue
			}
			why = restsOnNothing(figure, &g)
			for name, value := range s.tagsOf(g.Steps[0]).Map() {
				values[name] = append(values[name], value)
			}
		}
	}
	if several := lastOfSeveral(of, values); several != "" {
		return several
	}

	return why
}

func absent(of k6x.Thresholds, scenarios []*Scenario) string {
	instead, absent := k6x.AbsentInSweep(of.Parent)
	switch {
	case len(scenarios) == 0 && stream.OwnMetric(of.Parent):
		return "no sweep was measured; sweep.op under k6's own executors has " + stream.MetricOpDuration + " and " + stream.MetricOpFailed
	case absent && len(scenarios) > 0:
		return absentInSweep + instead
	case !stream.OwnMetric(of.Parent) && of.Tags.IsEmpty():
		return "no sample was sent"
	case !stream.OwnMetric(of.Parent):
		return "no sample has these tags"
	}
	samples := make([]stream.Tags, 0, len(scenarios))
	for _, s := range scenarios {
		tags := stream.Tags{}
		for at := range s.Report.Steps {
			for name, value := range s.tagsOf(&s.Report.Steps[at]).Map() {
				tags[name] = stream.TagValues{Names: unique(append(tags[name].Names, value))}
			}
		}
		if !stream.OfOperations(of.Parent) {
			delete(tags, "op")
		}
		tags.AddOutcomes(of.Parent)
		samples = append(samples, tags)
	}
	if why := stream.Lacking(of.Tags.Map(), samples); why != "" {
		return why
	}

	return "no sample was sent"
}

// ofAnotherSegment reports whether other instances have all clients of the threshold's step, and
// judge it.
func ofAnotherSegment(of k6x.Thresholds, scenarios []*Scenario) bool {
	tag, tagged := of.Tags.Get("clients")
	if !tagged {
		return false
	}
	elsewhere := false
	for _, s := range scenarios {
		for _, n := range s.sweep.StepClients() {
			if strconv.FormatInt(n, 10) != tag {
				continue
			}
			if s.Test.ExecutionTuple.ScaleInt64(n) > 0 {
				return false
			}
			elsewhere = true
		}
	}

	return elsewhere
}

// final returns the samples by which k6 judges repeated steps: the medians. The result of a search
// comes last, for thresholds that name no step.
func (s *Scenario) final(at time.Time) (samples metrics.Samples) {
	var found []report.Group
	for _, g := range s.Report.Groups() {
		switch {
		case s.sweep.Searched() != "" && s.found(g.Key):
			found = append(found, g)
		case len(g.Steps) > 1:
			samples = append(samples, s.metrics.Medians(s.tagsOf(g.Steps[0]), at, &g)...)
		}
	}
	for _, g := range found {
		samples = append(samples, s.metrics.Medians(s.tagsOf(g.Steps[0]), at, &g)...)
	}

	return samples
}

// isJudged reports whether a threshold with these tags applies to the step. In a search, it applies
// to the result, unless the tags name another step.
func (s *Scenario) isJudged(g *report.Group, tags *metrics.TagSet) bool {
	return s.tagsOf(g.Steps[0]).Contains(tags) && (!s.searches(tags) || s.found(g.Key))
}

func (s *Scenario) found(step report.Key) bool {
	number := float64(step.Clients)
	if s.sweep.OpenLoop() {
		number = step.Rate
	}

	return s.Report.Search != nil && number == s.Report.Search.Found
}

// searches reports whether a threshold with these tags applies to a search's result.
func (s *Scenario) searches(tags *metrics.TagSet) bool {
	if s.sweep.Searched() == "" {
		return false
	}
	_, named := tags.Get(s.sweep.Searched())

	return !named
}

// foundNothing reports whether a threshold with these tags applies to a search without result.
func (s *Scenario) foundNothing(tags *metrics.TagSet) bool {
	if !s.searches(tags) || s.Report.Search != nil && s.Report.Search.Found > 0 {
		return false
	}

	return slices.ContainsFunc(s.Report.Steps, func(step report.Step) bool { return s.tagsOf(&step).Contains(tags) })
}

func (s *Scenario) tagsOf(step *report.Step) *metrics.TagSet {
	return s.Tags.WithTagsFromMap(stream.StepTags(int64(step.Clients), step.Rate, step.Variant)).With("op", step.Op)
}

// restsOnNothing returns why the figure of a step is meaningless, or "".
func restsOnNothing(f *report.Figure, g *report.Group) string {
	switch {
	case len(g.Succeeded().Steps) < len(g.Steps):
		return fmt.Sprintf("no operation succeeded of %s", gate.StepName(g.Key))
	case f.Rate:
		return g.FewOperations()
	default:
		return f.RestsOnLittle(g)
	}
}
