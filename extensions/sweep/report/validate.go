package report

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// How far figures may be apart that say the same. A histogram tells values apart to 0.098 %.
const (
	histogramTolerance = 0.002
	rateTolerance      = 0.001
)

// Validate tells whether the report can be true: its figures are possible, and where two say the same, they agree. It
// returns an error that names the step and the figure.
func (r *Report) Validate() error {
	switch {
	case r.Schema != Schema:
		return fmt.Errorf("the schema is %q instead of %q", r.Schema, Schema)
	case r.Scenario == "":
		return errors.New("the scenario has no name")
	}

	type id struct {
		Key
		repeat int
	}
	seen := make(map[id]bool, len(r.Steps))
	for i := range r.Steps {
		s := &r.Steps[i]
		if err := s.validate(); err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
		at := id{s.Key(), s.Repeat}
		if seen[at] {
			return fmt.Errorf("%s: there are two of it", s.name())
		}
		seen[at] = true
	}

	if err := r.validateShares(); err != nil {
		return err
	}
	if err := r.validateSearch(); err != nil {
		return err
	}
	if r.Quiet != nil {
		if err := r.Quiet.validate(); err != nil {
			return err
		}
	}

	if err := validateTables(r.Tables); err != nil {
		return err
	}

	return r.validatePublished()
}

// name is what errors call a step.
func (s *Step) name() string {
	rate := ""
	if s.Rate != 0 {
		rate = fmt.Sprintf(" at %g/s", s.Rate)
	}

	return fmt.Sprintf("step of %s%s, repeat %d, op %q", Plural(s.Clients, "client"), rate, s.Repeat, s.Op)
}

func (s *Step) validate() error {
	switch {
	case s.Op == "":
		return errors.New("the op has no name")
	case s.Clients < 1:
		return errors.New("there is to be at least 1 client")
	case s.Repeat < 1:
		return errors.New("repeats count from 1")
	case s.Operations < 0:
		return fmt.Errorf("ops are %d, which is negative", s.Operations)
	}
	server := 0.0
	if s.CPU.Server != nil {
		server = *s.CPU.Server
	}
	if err := possible(
		figure{"rate", s.Rate}, figure{"seconds", s.Seconds}, figure{"opsPerSecond", s.OpsPerSecond},
		figure{"cpuSeconds.k6", s.CPU.K6}, figure{"cpuSeconds.server", server},
	); err != nil {
		return err
	}
	for _, check := range []func() error{
		s.validateRate, s.validateOverlap, s.validateTooShort, s.validateLatency, s.validateClient, s.validateTimes, s.validateFailedLatency,
		s.validateOpenLoop,
	} {
		if err := check(); err != nil {
			return err
		}
	}

	return s.validateErrors()
}

func (s *Step) validateClient() error { return s.Client.validate(s.Clients) }

func (s *Step) validateOverlap() error {
	if s.Overlap == nil {
		return nil
	}
	overlap := figure{"overlap", *s.Overlap}
	if err := possible(overlap); err != nil {
		return err
	}
	if err := ascending(overlap, figure{"the whole", 1}); err != nil {
		return err
	}
	if s.Complete && s.apart() {
		return fmt.Errorf("it is complete, but its parts overlap by %g of their time only", *s.Overlap)
	}

	return nil
}

// validateTooShort tells whether a step that is too short is one.
func (s *Step) validateTooShort() error {
	switch {
	case s.TooShort == nil:
		return nil
	case s.Complete:
		return errors.New("it is complete, but tooShort says that it is not")
	case *s.TooShort >= measure.LeastOperations:
		return fmt.Errorf("tooShort is %d, but %d operations are enough", *s.TooShort, measure.LeastOperations)
	case uint64(s.Operations)+s.Failed > *s.TooShort:
		return fmt.Errorf("tooShort is %d of all kinds of operations, but there are %d of this one",
			*s.TooShort, uint64(s.Operations)+s.Failed)
	}

	return nil
}

func (s *Step) validateLatency() error {
	l := &s.Latency
	percentiles := []figure{
		{"latencyMs.p50", l.P50}, {"latencyMs.p90", l.P90}, {"latencyMs.p95", l.P95}, {"latencyMs.p99", l.P99},
		{"latencyMs.p999", l.P999}, {"latencyMs.max", l.Max},
	}
	if err := possible(slices.Concat(percentiles, []figure{{"latencyMs.mean", l.Mean}})...); err != nil {
		return err
	}
	if err := ascending(percentiles...); err != nil {
		return err
	}
	if err := ascending(figure{"latencyMs.mean", l.Mean}, figure{"latencyMs.max", l.Max}); err != nil {
		return err
	}

	d, err := measure.Decode(s.Histogram)
	if err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	if d.Count != s.Operations {
		return fmt.Errorf("histogram counts %d operations, but ops are %d", d.Count, s.Operations)
	}

	if err := agree(&d, float64(time.Millisecond), percentiles, 0.5, 0.9, 0.95, 0.99, 0.999, 1); err != nil {
		return err
	}

	return agreeMean(&d, time.Millisecond, figure{"latencyMs.mean", l.Mean}, percentiles[5])
}

// validate tells whether c can be of a step of that many clients. Those that never started are not counted.
func (c *Clients) validate(clients int) error {
	seconds := []figure{
		{"client.min", c.Min}, {"client.p25", c.P25}, {"client.p50", c.P50}, {"client.p75", c.P75}, {"client.max", c.Max},
	}
	ops := []figure{
		{"client.ops.min", float64(c.Ops.Min)}, {"client.ops.p25", float64(c.Ops.P25)}, {"client.ops.p50", float64(c.Ops.P50)},
		{"client.ops.p75", float64(c.Ops.P75)}, {"client.ops.max", float64(c.Ops.Max)},
	}
	avg := figure{"client.avg", c.Avg}
	if err := possible(slices.Concat(seconds, ops, []figure{avg})...); err != nil {
		return err
	}
	for _, rising := range [][]figure{seconds, ops, {seconds[0], avg, seconds[4]}} {
		if err := ascending(rising...); err != nil {
			return err
		}
	}

	times, each, err := c.decode()
	if err != nil {
		return err
	}
	if times.Count > int64(clients) || times.Count != each.Count {
		return fmt.Errorf("client.histogram counts %d clients and client.ops.histogram %d, of %d", times.Count, each.Count, clients)
	}
	quartiles := []float64{0, 0.25, 0.5, 0.75, 1}
	if err := agree(&times, float64(time.Second), seconds, quartiles...); err != nil {
		return err
	}
	if err := agreeMean(&times, time.Second, avg, seconds[4]); err != nil {
		return err
	}

	return agree(&each, 1, ops, quartiles...)
}

func (r *Report) validatePublished() error {
	for _, series := range r.Published {
		for _, p := range series.Points {
			if p.Clients < 1 {
				return fmt.Errorf("published %q: a point of %s", series.Label, Plural(p.Clients, "client"))
			}
			if err := possible(figure{"opsPerSecond", p.OpsPerSecond}); err != nil {
				return fmt.Errorf("published %q, %s: %w", series.Label, Plural(p.Clients, "client"), err)
			}
		}
	}

	return nil
}

// figure is a number by the key that it has in the JSON.
type figure struct {
	key   string
	value float64
}

// possible returns an error for the first figure that is negative or no number.
func possible(figures ...figure) error {
	for _, f := range figures {
		if math.IsNaN(f.value) || math.IsInf(f.value, 0) || f.value < 0 {
			return fmt.Errorf("%s is %g, which is not a number from 0", f.key, f.value)
		}
	}

	return nil
}

// ascending returns an error for the first figure that is below the one before it.
func ascending(figures ...figure) error {
	for i := 1; i < len(figures); i++ {
		if a, b := figures[i-1], figures[i]; a.value > b.value {
			return fmt.Errorf("%s of %g is above %s of %g", a.key, a.value, b.key, b.value)
		}
	}

	return nil
}

// agree returns an error for the first figure, in units of so many ns, that is not the quantile of the distribution.
func agree(d *measure.Distribution, unit float64, figures []figure, quantiles ...float64) error {
	for i, q := range quantiles {
		f := figures[i]
		got := d.Quantile(q)
		if q == 0 {
			got = d.Min
		}
		// Above what a histogram tells apart, the figure is exact and the histogram is not.
		highest := float64(measure.Highest) / unit
		if want := float64(got) / unit; !near(min(f.value, highest), min(want, highest), histogramTolerance) {
			return fmt.Errorf("%s is %g, but %g in its histogram", f.key, f.value, want)
		}
	}

	return nil
}

// near tells whether two numbers from 0 are apart by no more than the part tolerance of the higher one.
func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*max(a, b) }
