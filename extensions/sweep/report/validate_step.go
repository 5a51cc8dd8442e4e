package report

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Name identifies the step in the run, such as "get, 8 clients, repeat 2".
func (s *Step) Name() string { return fmt.Sprintf("%s, repeat %d", s.Key().Name(), s.Repeat) }

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
	case s.Timed < 0 || s.Timed > s.Operations:
		return fmt.Errorf("timings are %d, but ops are %d", s.Timed, s.Operations)
	}
	server := 0.0
	if s.CPU.Server != nil {
		server = *s.CPU.Server
	}
	if err := possible(
		keyed{"rate", s.Rate}, keyed{"seconds", s.Seconds}, keyed{"opsPerSecond", s.OpsPerSecond},
		keyed{"cpuSeconds.k6", s.CPU.K6}, keyed{"cpuSeconds.server", server},
	); err != nil {
		return err
	}
	for _, check := range []func() error{
		s.validateRate, s.validateOverlap, s.validateTooShort, s.validateLatency, s.validateClient, s.validateTimes, s.validateFailedLatency,
		s.validateOpenLoop, s.validateClientWait, s.validateStandstill, s.validateWitness, s.validateOverTime, s.validateIntervals,
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
	overlap := keyed{"overlap", *s.Overlap}
	if err := possible(overlap); err != nil {
		return err
	}
	if err := ascending(overlap, keyed{"the whole", 1}); err != nil {
		return err
	}
	if s.Complete && s.apart() {
		return fmt.Errorf("it is complete, but its parts overlap by %g of their time only", *s.Overlap)
	}

	return nil
}

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
	percentiles := []keyed{
		{"latencyMs.p50", l.P50}, {"latencyMs.p90", l.P90}, {"latencyMs.p95", l.P95}, {"latencyMs.p99", l.P99},
		{"latencyMs.p999", l.P999}, {"latencyMs.max", l.Max},
	}
	if err := possible(slices.Concat(percentiles, []keyed{{"latencyMs.mean", l.Mean}})...); err != nil {
		return err
	}
	if err := ascending(percentiles...); err != nil {
		return err
	}
	if err := ascending(keyed{"latencyMs.mean", l.Mean}, keyed{"latencyMs.max", l.Max}); err != nil {
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

	return agreeMean(&d, time.Millisecond, keyed{"latencyMs.mean", l.Mean}, percentiles[5])
}

// validate checks the figures of clients. Clients that never started are not counted.
func (c *Clients) validate(clients int) error {
	seconds := []keyed{
		{"client.min", c.Min}, {"client.p25", c.P25}, {"client.p50", c.P50}, {"client.p75", c.P75}, {"client.max", c.Max},
	}
	ops := []keyed{
		{"client.ops.min", float64(c.Ops.Min)}, {"client.ops.p25", float64(c.Ops.P25)}, {"client.ops.p50", float64(c.Ops.P50)},
		{"client.ops.p75", float64(c.Ops.P75)}, {"client.ops.max", float64(c.Ops.Max)},
	}
	avg := keyed{"client.avg", c.Avg}
	if err := possible(slices.Concat(seconds, ops, []keyed{avg})...); err != nil {
		return err
	}
	for _, rising := range [][]keyed{seconds, ops, {seconds[0], avg, seconds[4]}} {
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

// Tolerances for client times above the step time: relative, and in seconds.
const (
	clientTolerance = 0.001
	clientSlack     = 0.001
)

// validateTimes checks that operations and clients fit into the step time.
func (s *Step) validateTimes() error {
	if s.Seconds == 0 && s.OpsPerSecond != 0 {
		return fmt.Errorf("opsPerSecond is %g, but seconds are 0", s.OpsPerSecond)
	}
	if longest := s.Seconds*(1+clientTolerance) + clientSlack; s.Client.Max > longest {
		return fmt.Errorf("client.max of %g is above seconds of %g", s.Client.Max, s.Seconds)
	}

	return nil
}

// validateErrors checks the error counts. A failed operation may have no error text.
func (s *Step) validateErrors() error {
	left := s.Failed
	for _, n := range s.Extra.Errors {
		if n > left {
			return fmt.Errorf("extra.errors count more than the %d operations that failed", s.Failed)
		}
		left -= n
	}

	return nil
}
