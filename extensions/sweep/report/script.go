package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Script has what only a report of -o sweep has, made from k6's samples.
type Script struct {
	// Seconds is the time in which scenarios ran.
	Seconds float64 `json:"seconds"`
	// MostOps is the limit on kinds of operations with their own steps, if it was reached. Others
	// count as OtherOp.
	MostOps int  `json:"mostOps,omitempty"`
	VUs     *VUs `json:"vus,omitempty"`
	// Metrics are all except durations, sorted by name.
	Metrics []Metric `json:"metrics,omitempty"`
}

// OtherOp counts operations beyond Script.MostOps.
const OtherOp = "(other)"

// The variants of setup and teardown.
const (
	InSetup    = "(setup)"
	InTeardown = "(teardown)"
)

// VUs are the active VUs, in slots of equal length.
type VUs struct {
	Started     time.Time `json:"started"`
	SlotSeconds float64   `json:"slotSeconds"`
	Active      []float64 `json:"active"` // maximum in each slot
}

// The kinds of metrics, as k6 names them.
const (
	KindCounter = "counter"
	KindRate    = "rate"
	KindGauge   = "gauge"
	KindTrend   = "trend"
)

// Metric is a metric of k6 or the script, over all its tags.
type Metric struct {
	Name    string  `json:"name"`
	Kind    string  `json:"kind"`
	Samples uint64  `json:"samples"`
	Value   float64 `json:"value"` // counter: sum; rate: share; gauge: last value; trend: mean
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`

	Last time.Time `json:"last,omitzero"`
	TrendQuantiles
	// Histogram is an HDR histogram of a trend's values, in millionths.
	Histogram string `json:"histogram,omitempty"`
}

// TrendQuantiles exist for a trend with values from 0 to TrendHighest.
type TrendQuantiles struct {
	P50 *float64 `json:"p50,omitempty"`
	P90 *float64 `json:"p90,omitempty"`
	P99 *float64 `json:"p99,omitempty"`
}

// A trend's histogram stores a value of 1 as a millisecond.
const (
	TrendUnit    = time.Millisecond
	TrendHighest = float64(measure.Highest) / float64(TrendUnit)
)

// SetDistribution sets a trend's percentiles; none for an empty distribution.
func (m *Metric) SetDistribution(d *measure.Distribution) {
	m.P50, m.P90, m.P99, m.Histogram = nil, nil, nil, ""
	if d.Count == 0 {
		return
	}
	quantile := func(q float64) *float64 {
		v := Ms(d.Quantile(q))

		return &v
	}
	m.P50, m.P90, m.P99 = quantile(0.5), quantile(0.9), quantile(0.99)
	m.Histogram = d.Encode()
}

// Text formats the metric's value.
func (m *Metric) Text(seconds float64) string {
	number := ThreeDigits
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

// AllTables returns the metrics of a script, then the tables it made.
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

func (s *Script) note() string {
	if s == nil || s.MostOps == 0 {
		return ""
	}

	return fmt.Sprintf("There were more than %s kinds of operations: the others are counted as %s. "+
		"Requests to addresses that differ in an id are one kind when they have one `name` tag.", Thousands(int64(s.MostOps)), OtherOp)
}

// mergedScript merges the parts' scripts, or returns nil.
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
		if d == nil || uint64(d.Count) != m.Samples { // does not have all values
			d = &measure.Distribution{}
		}
		m.SetDistribution(d)
		merged.Metrics = append(merged.Metrics, *m)
	}

	return merged, nil
}

func addHistogram(to map[string]*measure.Distribution, m *Metric) error {
	if m.Histogram == "" {
		return nil
	}
	d, err := measure.Decode(m.Histogram)
	if err != nil {
		return err
	}
	// Minimum and maximum are exact, as before encoding.
	d.SetExact(nanoseconds(m.Max, TrendUnit), nanoseconds(m.Value, TrendUnit))
	d.Min = nanoseconds(m.Min, TrendUnit)
	if to[m.Name] == nil {
		to[m.Name] = &measure.Distribution{}
	}
	to[m.Name].Merge(&d)

	return nil
}

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

// Most returns the highest number of active VUs in a period.
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
