package output

import (
	"math"
	"time"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type sum struct {
	report.Metric

	total  float64
	values *measure.Series // values of a trend; nil if a value is out of range
}

func newSum(name string, kind metrics.MetricType) *sum {
	s := &sum{Metric: report.Metric{Name: name, Kind: kind.String()}}
	if kind == metrics.Trend {
		s.values = measure.NewSeries(name, 0, false)
	}

	return s
}

func (s *sum) add(at time.Time, value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	if s.Samples == 0 {
		s.Min, s.Max = value, value
	}
	s.Min, s.Max = min(s.Min, value), max(s.Max, value)
	s.Samples++
	if s.Kind == report.KindRate && value != 0 { // as k6 counts it
		value = 1
	}
	s.total += value
	if s.Kind == report.KindGauge && !at.Before(s.Last) {
		s.Last, s.Value = at.UTC(), value
	}
	if s.values == nil {
		return
	}
	if value < 0 || value > report.TrendHighest {
		s.values = nil

		return
	}
	s.values.Ok(0, time.Duration(math.Round(value*float64(report.TrendUnit))))
}

func (s *sum) metric() report.Metric {
	m := s.Metric
	switch m.Kind {
	case report.KindCounter:
		m.Value = s.total
	case report.KindGauge:
	default:
		m.Value = s.total / float64(max(m.Samples, 1))
	}
	if s.values != nil {
		totals := s.values.Totals(0)
		m.SetDistribution(&totals.Durations)
	}

	return m
}

// vus has the active VUs, in slots of equal length.
type vus struct {
	started time.Time
	width   time.Duration
	active  []float64
}

func (v *vus) add(at time.Time, n float64) {
	if v.width == 0 {
		v.started, v.width = at, time.Second // k6 sends it once a second
	}
	i := max(int(at.Sub(v.started)/v.width), 0)
	for ; i >= measure.MostSlots; i /= 2 {
		half := v.active[:0]
		for at := 0; at < len(v.active); at += 2 {
			half = append(half, max(v.active[at], v.active[min(at+1, len(v.active)-1)]))
		}
		v.active, v.width = half, 2*v.width
	}
	for len(v.active) <= i {
		v.active = append(v.active, 0)
	}
	v.active[i] = max(v.active[i], n)
}

// lane returns the VUs for the report; nil without samples.
func (v *vus) lane() *report.VUs {
	if len(v.active) == 0 {
		return nil
	}

	return &report.VUs{Started: v.started.UTC(), SlotSeconds: v.width.Seconds(), Active: v.active}
}
