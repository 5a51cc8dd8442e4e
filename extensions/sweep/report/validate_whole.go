package report

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const (
	clientTolerance = 0.001 // of the step time: by how much a client may seem to have needed longer
	clientSlack     = 0.001 // and in seconds
	meanTolerance   = 0.01
	meanSlack       = 1 // and in ns: a mean is a whole number of them
)

// validateTimes tells whether operations and clients fit into the step time.
func (s *Step) validateTimes() error {
	if s.Seconds == 0 && s.OpsPerSecond != 0 {
		return fmt.Errorf("opsPerSecond is %g, but seconds are 0", s.OpsPerSecond)
	}
	if longest := s.Seconds*(1+clientTolerance) + clientSlack; s.Client.Max > longest {
		return fmt.Errorf("client.max of %g is above seconds of %g", s.Client.Max, s.Seconds)
	}

	return nil
}

// agreeMean holds a mean against the distribution's, which is not known for durations above its range. The unit is the
// one of the figures.
func agreeMean(d *measure.Distribution, unit time.Duration, mean, highest figure) error {
	if highest.value > float64(measure.Highest)/float64(unit) {
		return nil
	}
	want := float64(d.Mean()) / float64(unit)
	if !near(mean.value, want, meanTolerance) && math.Abs(mean.value-want)*float64(unit) > meanSlack {
		return fmt.Errorf("%s is %g, but %g in its histogram", mean.key, mean.value, want)
	}

	return nil
}

// validateErrors tells whether the error texts are of failed operations. A failed operation may have none.
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

// validateShares tells whether complete steps are of all their clients, and these did what was asked of them. Of a part
// of a run, only the whole can tell.
func (r *Report) validateShares() error {
	if _, part := r.Params[segmentParam]; part {
		return nil
	}
	done := make(map[runID]float64, len(r.Steps))
	for i := range r.Steps {
		s := &r.Steps[i]
		done[s.id()] += float64(s.Operations) + float64(s.Failed)
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if !s.Complete {
			continue
		}
		times, err := measure.Decode(s.Client.Histogram)
		if err != nil {
			return fmt.Errorf("%s: client.histogram: %w", s.name(), err)
		}
		if times.Count != 0 && times.Count != int64(s.Clients) { // none is in steps that know no client times
			return fmt.Errorf("%s: it is complete, but client.histogram counts %d clients of %d", s.name(), times.Count, s.Clients)
		}
		if asked := float64(s.Clients) * float64(s.PerClient); done[s.id()] < asked {
			return fmt.Errorf("%s: it is complete, but has %.0f operations of all kinds, and %.0f were asked for", s.name(), done[s.id()], asked)
		}
	}

	return nil
}

func (r *Report) validateSearch() error {
	s := r.Search
	if s == nil {
		return nil
	}
	if s.Of != ofClients && s.Of != ofRate {
		return fmt.Errorf("search.of is %q instead of \"clients\" or \"rate\"", s.Of)
	}
	found, most := figure{"search.found", s.Found}, figure{"search.max", s.Max}
	if err := possible(found, most); err != nil {
		return err
	}
	if err := ascending(found, most); err != nil {
		return err
	}
	figures := []figure{found}
	if b := s.Bracket; b != nil {
		low, high := figure{"search.bracket.low", b.Low}, figure{"search.bracket.high", b.High}
		if err := possible(low, high); err != nil {
			return err
		}
		if err := ascending(low, found); err != nil {
			return err
		}
		if high.value != 0 && high.value <= found.value {
			return fmt.Errorf("search.bracket.high of %g is not above search.found of %g", high.value, found.value)
		}
		figures = append(figures, low, high)
	}
	for _, f := range figures {
		if f.value != 0 && !r.tried(f.value) {
			return fmt.Errorf("%s is %g, which no step has tried", f.key, f.value)
		}
	}

	return nil
}

// tried tells whether a step of a search was of this number.
func (r *Report) tried(number float64) bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool {
		if r.Search.Of == ofRate {
			return s.Rate == number
		}

		return float64(s.Clients) == number
	})
}
