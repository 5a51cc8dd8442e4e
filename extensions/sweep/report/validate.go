package report

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Tolerances between two values that describe the same thing. The buckets of a histogram are 0.098
// % wide.
const (
	histogramTolerance = 0.002
	rateTolerance      = 0.001
)

// Validate returns an error for the first value that contradicts another one that gates, compare
// and merge rely on. The schema checks the type and the range of each value alone.
func (r *Report) Validate() error {
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

	return validateTables(r.Tables)
}

// Name distinguishes the step from all others of the run, such as "get, 8 clients, repeat 2".
func (s *Step) Name() string { return fmt.Sprintf("%s, repeat %d", s.Key().Name(), s.Repeat) }

func (s *Step) validate() error {
	for _, check := range []func() error{s.validateLatency, s.validateClients, s.validateOverTime, s.validateWitness} {
		if err := check(); err != nil {
			return err
		}
	}
	operations, seconds := s.rated()
	want := float64(operations) / seconds
	switch {
	case seconds > 0 && !near(s.OpsPerSecond, want, rateTolerance) || seconds == 0 && s.OpsPerSecond != 0:
		return fmt.Errorf("opsPerSecond is %g, but %d ops in %g seconds are %g", s.OpsPerSecond, operations, seconds, want)
	case s.Complete && s.TooShort != nil:
		return errors.New("it is complete, but tooShort says that it is not")
	case s.Complete && s.apart():
		return fmt.Errorf("it is complete, but its parts overlap for %g of their time", *s.Overlap)
	}

	return nil
}

// validateLatency checks the percentiles against the histogram, which ends at an hour.
func (s *Step) validateLatency() error {
	d, err := measure.Decode(s.Histogram)
	if err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	if d.Count != s.Operations {
		return fmt.Errorf("histogram counts %d operations, but ops are %d", d.Count, s.Operations)
	}
	highest := Ms(measure.Highest)
	for _, f := range Latencies() {
		want := Ms(d.Quantile(float64(f.Percentile) / 1000))
		if f.Percentile > 0 && !near(min(f.Of(s), highest), min(want, highest), histogramTolerance) {
			return fmt.Errorf("%s is %g, but %g in its histogram", f.JSON, f.Of(s), want)
		}
	}

	return nil
}

func (s *Step) validateClients() error {
	times, each, err := s.Client.decode()
	if err != nil {
		return err
	}
	if times.Count > int64(s.Clients) || times.Count != each.Count {
		return fmt.Errorf("client.histogram counts %d clients and client.ops.histogram %d, of %d", times.Count, each.Count, s.Clients)
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

// near reports whether two numbers from 0 differ by at most the part tolerance of the higher one.
func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*max(a, b) }
