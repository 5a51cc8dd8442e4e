package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Script is what the report of any k6 script has and that of a sweep has not: the output sweep
// makes it from k6's samples.
type Script struct {
	// Seconds is how long the scenarios ran, all together.
	Seconds float64 `json:"seconds"`
	// MostOps is how many kinds of operations have steps of their own. It is missing where there
	// were no more; the others are counted as OtherOp.
	MostOps int `json:"mostOps,omitempty"`
	// VUs is how many VUs were at work over time.
	VUs *VUs `json:"vus,omitempty"`
	// Metrics are those that are no durations, in the order of their names.
	Metrics []Metric `json:"metrics,omitempty"`
}

// OtherOp is the kind of operation that counts what is beyond Script.MostOps.
const OtherOp = "(other)"

// The variants of steps that k6 does once, before and after the scenarios.
const (
	InSetup    = "(setup)"
	InTeardown = "(teardown)"
)

// VUs is how many VUs were at work, in slots of equal length.
type VUs struct {
	Started     time.Time `json:"started"`
	SlotSeconds float64   `json:"slotSeconds"`
	Active      []float64 `json:"active"` // the most in each slot
}

// The kinds of metrics, as k6 names them.
const (
	KindCounter = "counter"
	KindRate    = "rate"
	KindGauge   = "gauge"
	KindTrend   = "trend"
)

// Metric is a metric of k6's or of the script's, over all of its tags.
type Metric struct {
	Name    string  `json:"name"`
	Kind    string  `json:"kind"`
	Samples uint64  `json:"samples"`
	Value   float64 `json:"value"` // a counter's sum, a rate's share from 0 to 1, a gauge's last value, a trend's mean
	Min     float64 `json:"min"`   // the lowest sample
	Max     float64 `json:"max"`   // the highest sample

	// Last is when a gauge had its last sample.
	Last time.Time `json:"last,omitzero"`
	// P50, P90 and P99 are of a trend whose values are from 0 to TrendHighest.
	P50 *float64 `json:"p50,omitempty"`
	P90 *float64 `json:"p90,omitempty"`
	P99 *float64 `json:"p99,omitempty"`
	// Histogram is an HDR histogram of a trend's values, in millionths.
	Histogram string `json:"histogram,omitempty"`
}

// A trend's histogram is one of durations: a value of 1 is a millisecond there.
const (
	TrendUnit    = time.Millisecond
	TrendHighest = float64(measure.Highest) / float64(TrendUnit)
)

// SetDistribution gives a trend its percentiles. None are known where the distribution is empty.
func (m *Metric) SetDistribution(d *measure.Distribution) (err error) {
	m.P50, m.P90, m.P99, m.Histogram = nil, nil, nil, ""
	if d.Count == 0 {
		return nil
	}
	quantile := func(q float64) *float64 {
		v := Ms(d.Quantile(q))

		return &v
	}
	m.P50, m.P90, m.P99 = quantile(0.5), quantile(0.9), quantile(0.99)
	m.Histogram, err = d.Encode()

	return err
}

// Text is the metric's value for people.
func (m *Metric) Text(seconds float64) string {
	number := threeDigits
	switch m.Kind {
	case KindCounter:
		text := number(m.Value)
		if seconds > 0 {
			text += fmt.Sprintf(" (%s a second)", number(m.Value/seconds))
		}

		return text
	case KindRate:
		return fmt.Sprintf("%s %% (%s of %s)", strconv.FormatFloat(100*m.Value, 'f', 2, 64),
			Thousands(int64(math.Round(m.Value*float64(m.Samples)))), Thousands(int64(m.Samples)))
	case KindGauge:
		return fmt.Sprintf("%s (%s to %s)", number(m.Value), number(m.Min), number(m.Max))
	}
	text := fmt.Sprintf("mean %s, %s to %s, of %s", number(m.Value), number(m.Min), number(m.Max), Plural(int(m.Samples), "sample"))
	if m.P50 != nil {
		text += fmt.Sprintf("; p50 %s, p90 %s, p99 %s", number(*m.P50), number(*m.P90), number(*m.P99))
	}

	return text
}

// AllTables are the tables that stand below the report's own: the metrics of a script, and what the
// script has made.
func (r *Report) AllTables() []Table {
	if r.Script == nil || len(r.Script.Metrics) == 0 {
		return r.Tables
	}
	t := Table{Title: "Metrics", Columns: []TableColumn{{Name: "metric"}, {Name: "kind"}, {Name: "value"}}}
	for i := range r.Script.Metrics {
		m := &r.Script.Metrics[i]
		t.Rows = append(t.Rows, TableRow{m.Name, m.Kind, m.Text(r.Script.Seconds)})
	}

	return append([]Table{t}, r.Tables...)
}

// note says that there were more kinds of operations than have steps of their own; nothing where
// there were not.
func (s *Script) note() string {
	if s == nil || s.MostOps == 0 {
		return ""
	}

	return fmt.Sprintf("There were more than %s kinds of operations: the others are counted as %s. "+
		"Requests to addresses that differ in an id are one kind when they have one `name` tag.", Thousands(int64(s.MostOps)), OtherOp)
}

func (s *Script) validate() error {
	if s == nil {
		return nil
	}
	if err := possible(keyed{"script.seconds", s.Seconds}, keyed{"script.mostOps", float64(s.MostOps)}); err != nil {
		return err
	}
	if v := s.VUs; v != nil {
		if !(v.SlotSeconds > 0) || len(v.Active) > measure.MostSlots {
			return fmt.Errorf("script.vus has %d slots of %g seconds: there are to be at most %d, of more than 0",
				len(v.Active), v.SlotSeconds, measure.MostSlots)
		}
		for _, n := range v.Active {
			if err := possible(keyed{"script.vus.active", n}); err != nil {
				return err
			}
		}
	}
	for i := range s.Metrics {
		m := &s.Metrics[i]
		if i > 0 && m.Name <= s.Metrics[i-1].Name {
			return errors.New("script.metrics are to be in the order of their names, one of each")
		}
		if err := m.validate(); err != nil {
			return fmt.Errorf("script.metrics: %s: %w", m.Name, err)
		}
	}

	return nil
}

func (m *Metric) validate() error {
	switch {
	case m.Name == "":
		return errors.New("a metric has no name")
	case !slices.Contains([]string{KindCounter, KindRate, KindGauge, KindTrend}, m.Kind):
		return fmt.Errorf("kind is %q: it must be counter, rate, gauge or trend", m.Kind)
	case m.Min > m.Max:
		return fmt.Errorf("min of %g is above max of %g", m.Min, m.Max)
	case m.Kind == KindRate && !(m.Value >= 0 && m.Value <= 1):
		return fmt.Errorf("value of a rate is %g: it must be from 0 to 1", m.Value)
	case (m.Histogram == "") != (m.P50 == nil) || (m.P50 == nil) != (m.P90 == nil) || (m.P90 == nil) != (m.P99 == nil):
		return errors.New("it has p50, p90, p99 and histogram, or none of them")
	case m.Histogram == "":
		return nil
	}
	d, err := measure.Decode(m.Histogram)
	if err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	if uint64(d.Count) != m.Samples {
		return fmt.Errorf("histogram counts %d values, but samples are %d", d.Count, m.Samples)
	}

	return agree(&d, float64(TrendUnit), []keyed{{"p50", *m.P50}, {"p90", *m.P90}, {"p99", *m.P99}}, 0.5, 0.9, 0.99)
}

// mergedScript is what all parts of a run have of their script; nil where they have nothing.
func mergedScript(parts []*Report) (*Script, error) {
	merged := &Script{}
	byName := map[string]*Metric{}
	histograms := map[string]*measure.Distribution{}
	for i, part := range parts {
		s := part.Script
		if s == nil {
			return nil, nil //nolint:nilnil // of sweeps
		}
		merged.Seconds = max(merged.Seconds, s.Seconds)
		merged.MostOps = max(merged.MostOps, s.MostOps)
		merged.VUs = merged.VUs.with(s.VUs)
		for j := range s.Metrics {
			m := &s.Metrics[j]
			if err := addHistogram(histograms, m); err != nil {
				return nil, fmt.Errorf("part %d: script.metrics: %s: %w", i+1, m.Name, err)
			}
			if into := byName[m.Name]; into == nil {
				first := *m
				byName[m.Name] = &first
			} else if into.Kind != m.Kind {
				return nil, fmt.Errorf("the metric %s is a %s in part 1 and a %s in part %d", m.Name, into.Kind, m.Kind, i+1)
			} else {
				into.add(m)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		m := byName[name]
		d := histograms[name]
		if d == nil || uint64(d.Count) != m.Samples { // not of all values
			d = &measure.Distribution{}
		}
		if err := m.SetDistribution(d); err != nil {
			return nil, err
		}
		merged.Metrics = append(merged.Metrics, *m)
	}

	return merged, nil
}

// addHistogram adds a metric's histogram, where it has one, to that of its name.
func addHistogram(to map[string]*measure.Distribution, m *Metric) error {
	if m.Histogram == "" {
		return nil
	}
	d, err := measure.Decode(m.Histogram)
	if err != nil {
		return err
	}
	// The ends are exact, as they were before the histogram was encoded.
	d.SetExact(nanoseconds(m.Max, TrendUnit), nanoseconds(m.Value, TrendUnit))
	d.Min = nanoseconds(m.Min, TrendUnit)
	if to[m.Name] == nil {
		to[m.Name] = &measure.Distribution{}
	}
	to[m.Name].Merge(&d)

	return nil
}

// add adds another part's samples.
func (m *Metric) add(other *Metric) {
	all := m.Samples + other.Samples
	switch m.Kind {
	case KindCounter:
		m.Value += other.Value
	case KindGauge:
		if other.Last.After(m.Last) {
			m.Value, m.Last = other.Value, other.Last
		}
	default:
		if all > 0 {
			m.Value = (m.Value*float64(m.Samples) + other.Value*float64(other.Samples)) / float64(all)
		}
	}
	switch {
	case m.Samples == 0:
		m.Min, m.Max = other.Min, other.Max
	case other.Samples > 0:
		m.Min, m.Max = min(m.Min, other.Min), max(m.Max, other.Max)
	}
	m.Samples = all
}

// with adds the VUs of another part, by the clocks of both.
func (v *VUs) with(other *VUs) *VUs {
	if v == nil || other == nil {
		return cmp.Or(v, other)
	}
	sum := &VUs{Started: v.Started, SlotSeconds: max(v.SlotSeconds, other.SlotSeconds)}
	if other.Started.Before(v.Started) {
		sum.Started = other.Started
	}
	end := sum.Started
	for _, part := range []*VUs{v, other} {
		if e := part.Started.Add(nanoseconds(part.SlotSeconds*float64(len(part.Active)), time.Second)); e.After(end) {
			end = e
		}
	}
	for end.Sub(sum.Started).Seconds() > sum.SlotSeconds*measure.MostSlots {
		sum.SlotSeconds *= 2
	}
	width := nanoseconds(sum.SlotSeconds, time.Second)
	sum.Active = make([]float64, int((end.Sub(sum.Started)+width-1)/width))
	for i := range sum.Active {
		from := sum.Started.Add(time.Duration(i) * width)
		sum.Active[i] = v.Most(from, width) + other.Most(from, width)
	}

	return sum
}

// Most returns the most VUs that were at work in a time.
func (v *VUs) Most(from time.Time, length time.Duration) (most float64) {
	width := nanoseconds(v.SlotSeconds, time.Second)
	for i, n := range v.Active {
		begin := v.Started.Add(time.Duration(i) * width)
		if begin.Before(from.Add(length)) && begin.Add(width).After(from) {
			most = max(most, n)
		}
	}

	return most
}
