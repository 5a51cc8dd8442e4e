package report

import (
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// The elements of a JUnit file, as Jenkins and GitLab read them.
type (
	junitSuites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Time     string   `xml:"time,attr"`

		Suite junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string `xml:"name,attr"`
		Tests     int    `xml:"tests,attr"`
		Failures  int    `xml:"failures,attr"`
		Errors    int    `xml:"errors,attr"`
		Skipped   int    `xml:"skipped,attr,omitempty"`
		Time      string `xml:"time,attr"`
		Timestamp string `xml:"timestamp,attr"`

		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitProblem `xml:"failure,omitempty"`
		Error   *junitProblem `xml:"error,omitempty"`
		Skipped *junitSkipped `xml:"skipped,omitempty"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit renders test cases for build servers. There is one for each repeat of a step and kind of
// operation; it fails if operations failed, none succeeded or the step is incomplete. A crossed
// gate fails, an undecided one is an error, or skipped if it passes. A search fails if nothing was
// found. An interrupted or empty run has another case, in error. Times are in seconds.
func (r *Report) JUnit() ([]byte, error) {
	cases := make([]junitCase, 0, len(r.Steps)+len(r.Gates)+2)
	seconds := 0.0
	for i := range r.Steps {
		cases = append(cases, r.stepCase(&r.Steps[i]))
		if i == 0 || !SameStep(&r.Steps[i-1], &r.Steps[i]) {
			seconds += r.Steps[i].Seconds
		}
	}
	if r.Search != nil {
		cases = append(cases, r.searchCase())
	}
	for i := range r.Gates {
		cases = append(cases, r.gateCase(&r.Gates[i]))
	}
	if problem := r.runProblem(); problem != nil {
		cases = append(cases, junitCase{Class: r.Scenario, Name: "run", Time: junitSeconds(0), Error: problem})
	}

	suite := junitSuite{
		Name: r.Scenario, Tests: len(cases), Time: junitSeconds(seconds),
		Timestamp: r.Started.UTC().Format(time.RFC3339), Properties: r.junitProperties(), Cases: cases,
	}
	for i := range cases {
		if cases[i].Failure != nil {
			suite.Failures++
		}
		if cases[i].Error != nil {
			suite.Errors++
		}
		if cases[i].Skipped != nil {
			suite.Skipped++
		}
	}
	all := junitSuites{
		Name: "xk6-sweep", Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors,
		Time: suite.Time, Suite: suite,
	}
	out, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("report of %s as JUnit XML: %w", r.Scenario, err)
	}

	return slices.Concat([]byte(xml.Header), out, []byte("\n")), nil
}

func (r *Report) stepCase(s *Step) junitCase {
	c := junitCase{Class: r.Scenario, Name: s.Name(), Time: junitSeconds(s.Seconds)}
	var reasons, kinds []string
	if why := s.Incomplete(); why != "" {
		reasons, kinds = append(reasons, why), append(kinds, "incomplete")
	}
	if s.Failed > 0 {
		reasons = append(reasons, fmt.Sprintf("%d of %d operations failed", s.Failed, s.Failed+uint64(s.Operations)))
		kinds = append(kinds, "failed")
	}
	if s.Complete && s.Failed == 0 && s.Operations == 0 {
		reasons, kinds = append(reasons, "no operation succeeded"), append(kinds, "empty")
	}
	if len(kinds) == 0 {
		return c
	}
	lines := slices.Clone(reasons)
	for _, text := range measure.MostFrequent(s.Extra.Errors) {
		lines = append(lines, fmt.Sprintf("%d x %s", s.Extra.Errors[text], text))
	}
	c.Failure = &junitProblem{
		Message: strings.Join(reasons, "; "), Type: strings.Join(kinds, ","), Text: strings.Join(lines, "\n"),
	}

	return c
}

// searchCase fails if not even the lowest number meets the bound.
func (r *Report) searchCase() junitCase {
	s := r.Search
	c := junitCase{Class: r.Scenario, Name: fmt.Sprintf("find %s with %s", mostOf(s.Of), s.Bound), Time: junitSeconds(0)}
	if s.Found == 0 {
		c.Failure = &junitProblem{Message: "nothing was found", Type: "found", Text: r.SearchNote()}
	}

	return c
}

func (r *Report) runProblem() *junitProblem {
	switch {
	case r.Interrupted:
		return &junitProblem{Message: "the run was interrupted", Type: "interrupted", Text: r.interruption()}
	case len(r.Steps) == 0:
		return &junitProblem{Message: "the run has no steps", Type: "empty", Text: "Nothing was measured."}
	}

	return nil
}

func (r *Report) gateCase(v *Verdict) junitCase {
	c := junitCase{Class: r.Scenario + ".gates", Name: v.Gate, Time: junitSeconds(0)}
	result := v.Outcome
	problem := &junitProblem{Message: v.Explained(), Type: string(result), Text: v.Gate + ": " + v.Explained()}
	switch {
	case result == stats.Crossed:
		c.Failure = problem
	case !v.Held:
		c.Error = problem
	case result == stats.Undecided:
		c.Skipped = &junitSkipped{Message: problem.Message}
	case v.Visible != 0:
		c.Out = v.Explained()
	}

	return c
}

func (r *Report) junitProperties() []junitProperty {
	properties := slices.Grow([]junitProperty{
		{"host.cpu", r.Host.CPU},
		{"host.cores", strconv.Itoa(r.Host.Cores)},
		{"host.memBytes", strconv.FormatUint(r.Host.MemBytes, 10)},
		{"host.os", r.Host.OS},
		{"k6", r.K6},
	}, len(r.Target))
	for _, f := range r.Fingerprint.Facts() {
		properties = append(properties, junitProperty{"fingerprint." + f.Name, f.Text})
	}
	for _, key := range slices.Sorted(maps.Keys(r.Target)) {
		properties = append(properties, junitProperty{"target." + key, fmt.Sprint(r.Target[key])})
	}

	return properties
}

func junitSeconds(seconds float64) string { return strconv.FormatFloat(seconds, 'f', 3, 64) }
