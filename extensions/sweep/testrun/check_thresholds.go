package testrun

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
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
