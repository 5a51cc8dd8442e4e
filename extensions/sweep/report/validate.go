package report

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Tolerances between two values that describe the same thing. The buckets of a histogram are 0.098
// % wide. A mean is also a whole number of nanoseconds.
const (
	histogramTolerance = 0.002
	rateTolerance      = 0.001
	meanTolerance      = 0.01
	clientSlack        = 0.001 // seconds by which a client may seem to outlast its step
)

// Validate returns an error for the first value that contradicts another one. The schema checks the
// type and the range of each value alone.
func (r *Report) Validate() error { //nolint:cyclop // one case for each rule
	type id struct {
		Key
		repeat int
	}
	seen := make(map[id]bool, len(r.Steps))
	for i := range r.Steps {
		s := &r.Steps[i]
		if err := s.validate(); err != nil {
			return fmt.Errorf("%s: %w", s.Name(), err)
		}
		at := id{s.Key(), s.Repeat}
		if seen[at] {
			return fmt.Errorf("%s: there are two of it", s.Name())
		}
		seen[at] = true
	}
	for i := range r.Duets {
		for _, variant := range []string{Base, Change} {
			if !r.hasVariant(&r.Duets[i], variant) {
				return fmt.Errorf("duets[%d]: there is no step of its variant %q", i, variant)
			}
		}
		for _, f := range r.Duets[i].Figures {
			if !(0 < f.Low && f.Low <= f.Ratio && f.Ratio <= f.High) {
				return fmt.Errorf("duets[%d]: the ratio of %s is %g, and its interval %g to %g", i, f.Figure, f.Ratio, f.Low, f.High)
			}
		}
	}
	for i, v := range r.Gates {
		if v.Held && v.Outcome == stats.Crossed || !v.Held && v.Outcome == stats.Held {
			return fmt.Errorf("gates[%d] is %s, and held is %t", i, v.Outcome, v.Held)
		}
	}
	if err := r.Script.validate(); err != nil {
		return err
	}
	if err := validateTables(r.Tables); err != nil {
		return err
	}

	return ValidateSides(r.SideBySide)
}

// Name distinguishes the step from all others of the run, such as "get, 8 clients, repeat 2".
func (s *Step) Name() string { return fmt.Sprintf("%s, repeat %d", s.Key().Name(), s.Repeat) }

func (s *Step) validate() error {
	for _, check := range []func() error{
		s.validateLatency, s.validateClients, s.validateRate, s.validateOverTime, s.validateWitness,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	switch {
	case s.Complete && s.TooShort != nil:
		return errors.New("it is complete, but tooShort says that it is not")
	case s.Complete && s.apart():
		return fmt.Errorf("it is complete, but its parts overlap for %g of their time", *s.Overlap)
	}

	return nil
}

func (s *Step) validateLatency() error {
	d, err := agree("histogram", s.Histogram, "latencyMs.", &s.Latency, time.Millisecond)
	if err != nil {
		return err
	}
	if d.Count != s.Operations {
		return fmt.Errorf("histogram counts %d operations, but ops are %d", d.Count, s.Operations)
	}
	if f := s.FailedLatency; f != nil {
		d, err := agree("failedLatencyMs.histogram", f.Histogram, "failedLatencyMs.", f, time.Millisecond)
		if err != nil {
			return err
		}
		if d.Count == 0 || uint64(d.Count) > s.Failed {
			return fmt.Errorf("failedLatencyMs.histogram counts %d operations, but failed are %d", d.Count, s.Failed)
		}
	}
	if err := errors.Join(s.ClientWait.validate("clientWaitMs"), s.Requests.validate("requestMs")); err != nil {
		return err
	}
	if o := s.OpenLoop; o != nil {
		if s.Rate == 0 || o.Started > o.Due {
			return fmt.Errorf("openLoop has %d operations started of %d that were due, at a rate of %g", o.Started, o.Due, s.Rate)
		}
		_, err = agree("openLoop.latenessMs.histogram", o.Lateness.Histogram, "openLoop.latenessMs.", &o.Lateness, time.Millisecond)
	}

	return err
}

// validateClients checks what clients took and did against the histograms of both.
func (s *Step) validateClients() error {
	c := &s.Client
	times, err := agree("client.histogram", c.Histogram, "client.", c, time.Second)
	if err != nil {
		return err
	}
	each, err := agree("client.ops.histogram", c.Ops.Histogram, "client.ops.", &c.Ops, 1)
	if err != nil {
		return err
	}
	if times.Count > int64(s.Clients) || times.Count != each.Count {
		return fmt.Errorf("client.histogram counts %d clients and client.ops.histogram %d, of %d", times.Count, each.Count, s.Clients)
	}
	if longest := s.Seconds*(1+rateTolerance) + clientSlack; c.Max > longest {
		return fmt.Errorf("client.max of %g is above seconds of %g", c.Max, s.Seconds)
	}

	return nil
}

// validateRate checks ops/s against the operations and the times that the step has.
func (s *Step) validateRate() error {
	operations, seconds := s.rated()
	if err := rateAgrees("opsPerSecond", s.OpsPerSecond, operations, seconds); err != nil {
		return err
	}
	if w := s.Window; w != nil && (w.Ops+w.TailOps != s.Operations || !near(w.Seconds+w.TailSeconds, s.Seconds, rateTolerance)) {
		return fmt.Errorf("window has %d ops and %d after it in %g and %g seconds, which are not ops of %d in %g seconds",
			w.Ops, w.TailOps, w.Seconds, w.TailSeconds, s.Operations, s.Seconds)
	}
	if a := s.AllClients; a != nil {
		return rateAgrees("allClients.opsPerSecond", a.OpsPerSecond, a.Ops, a.Seconds)
	}

	return nil
}

func rateAgrees(key string, rate float64, operations int64, seconds float64) error {
	if want := float64(operations) / seconds; seconds > 0 && !near(rate, want, rateTolerance) || seconds == 0 && rate != 0 {
		return fmt.Errorf("%s is %g, but %d ops in %g seconds are %g", key, rate, operations, seconds, want)
	}

	return nil
}

// validateOverTime checks that the slots of the step have all its operations.
func (s *Step) validateOverTime() error {
	o := s.OverTime
	if o == nil {
		return nil
	}
	n := len(o.Failed)
	turns := (o.StepSeconds == 0) == (len(o.TurnSeconds) == 0) && (len(o.TurnSeconds) == 0 || len(o.TurnSeconds) == n)
	if len(o.OpsPerSecond) != n || len(o.P50) != n || len(o.P99) != n || !turns {
		return errors.New("the lists of overTime are not of the same number of slots")
	}
	measured, err := s.Measured()
	if err != nil {
		return err
	}
	elapsed := nanoseconds(s.StepSeconds(), time.Second)
	if width := measured.Width; width < measure.ShortestSlot || n != measure.SlotsOf(elapsed, width) {
		return fmt.Errorf("overTime has %d slots of %g seconds, which do not fit seconds of %g", n, o.SlotSeconds, s.StepSeconds())
	}
	var ops int64
	var failed uint64
	for i := range measured.Slots {
		slot := &measured.Slots[i]
		ops += slot.Count()
		failed += slot.Failed
	}
	if ops != s.Operations || failed != s.Failed {
		return fmt.Errorf("overTime counts %d operations and %d failed ones, but ops are %d and failed %d", ops, failed, s.Operations, s.Failed)
	}

	return nil
}

// validateWitness checks that the lists of the witness are of one length.
func (s *Step) validateWitness() error {
	if s.Witness == nil || s.Witness.OverTime == nil {
		return nil
	}
	v := reflect.ValueOf(s.Witness.OverTime).Elem()
	for i := range v.NumField() {
		if list, n := v.Field(i), len(s.Witness.OverTime.Idle); list.Kind() == reflect.Slice && !list.IsNil() && list.Len() != n {
			return fmt.Errorf("witness.overTime.%s has %d values, but witness.overTime.idle has %d", keyOf(v.Type().Field(i)), list.Len(), n)
		}
	}

	return nil
}

func (s *Script) validate() error {
	if s == nil {
		return nil
	}
	for i := range s.Metrics {
		m := &s.Metrics[i]
		if slices.Contains([]bool{m.P50 == nil, m.P90 == nil, m.P99 == nil}, m.Histogram != "") {
			return fmt.Errorf("script.metrics: %s: it must have p50, p90, p99 and histogram, or none of them", m.Name)
		}
		if m.Histogram == "" {
			continue
		}
		d, err := agree("histogram", m.Histogram, "", &m.TrendQuantiles, TrendUnit)
		if err != nil {
			return fmt.Errorf("script.metrics: %s: %w", m.Name, err)
		}
		if uint64(d.Count) != m.Samples {
			return fmt.Errorf("script.metrics: %s: histogram counts %d values, but samples are %d", m.Name, d.Count, m.Samples)
		}
	}

	return nil
}

// quantiles are the figures of a histogram by their key in the JSON.
var quantiles = map[string]float64{ //nolint:gochecknoglobals // a constant
	"min": 0, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999, "max": 1,
}

// agree decodes a histogram, and returns an error for the first field of figures that differs from
// it. unit is what the figures count. Above the range of histograms the figures are exact and the
// histogram is not.
func agree(key, encoded, prefix string, figures any, unit time.Duration) (measure.Distribution, error) {
	d, err := measure.Decode(encoded)
	if err != nil {
		return d, fmt.Errorf("%s: %w", key, err)
	}
	highest := float64(measure.Highest) / float64(unit)
	v := reflect.ValueOf(figures).Elem()
	above := false
	for i := range v.NumField() {
		above = above || figureAt(v.Field(i)) > highest
	}
	for i := range v.NumField() {
		name, value := keyOf(v.Type().Field(i)), figureAt(v.Field(i))
		q, isQuantile := quantiles[name]
		want, ok := 0.0, true
		switch {
		case name == "mean" || name == "avg":
			want = float64(d.Mean()) / float64(unit)
			ok = above || near(value, want, meanTolerance) || math.Abs(value-want)*float64(unit) <= 1
		case isQuantile:
			want = float64(d.Quantile(q)) / float64(unit)
			ok = near(min(value, highest), min(want, highest), histogramTolerance)
		}
		if !ok {
			return d, fmt.Errorf("%s%s is %g, but %g in its histogram", prefix, name, value, want)
		}
	}

	return d, nil
}

func figureAt(v reflect.Value) float64 {
	switch v = pointed(v); v.Kind() { //nolint:exhaustive // others are no figures
	case reflect.Float64:
		return v.Float()
	case reflect.Int64:
		return float64(v.Int())
	}

	return 0
}

// near reports whether two numbers from 0 differ by at most the part tolerance of the higher one.
func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*max(a, b) }
