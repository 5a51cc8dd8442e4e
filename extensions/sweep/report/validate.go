package report

import (
	"errors"
	"fmt"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Validate checks that all figures are possible and agree with each other. The error names the step
// and the figure.
func (r *Report) Validate() error { //nolint:cyclop // one case for each rule
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
			return fmt.Errorf("%s: %w", s.Name(), err)
		}
		at := id{s.Key(), s.Repeat}
		if seen[at] {
			return fmt.Errorf("%s: there are two of it", s.Name())
		}
		seen[at] = true
	}

	if err := r.validateShares(); err != nil {
		return err
	}
	if err := r.Script.validate(); err != nil {
		return err
	}
	if err := r.validateGates(); err != nil {
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

	if err := r.validateDuets(); err != nil {
		return err
	}
	if err := r.validateMarks(); err != nil {
		return err
	}
	if err := validateTables(r.Tables); err != nil {
		return err
	}
	if err := ValidateSides(r.SideBySide); err != nil {
		return err
	}

	return r.validatePublished()
}

// validateShares checks that complete steps have all clients, and that each did its share. For a
// part of a run, this cannot be checked.
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
			return fmt.Errorf("%s: client.histogram: %w", s.Name(), err)
		}
		if times.Count != 0 && times.Count != int64(s.Clients) { // zero if client times are unknown
			return fmt.Errorf("%s: it is complete, but client.histogram counts %d clients of %d", s.Name(), times.Count, s.Clients)
		}
		if asked := float64(s.Clients) * float64(s.PerClient); done[s.id()] < asked {
			return fmt.Errorf("%s: it is complete, but has %.0f operations of all kinds, and %.0f were asked for", s.Name(), done[s.id()], asked)
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
	found, most := keyed{"search.found", s.Found}, keyed{"search.max", s.Max}
	if err := possible(found, most); err != nil {
		return err
	}
	if err := ascending(found, most); err != nil {
		return err
	}
	figures := []keyed{found}
	if b := s.Bracket; b != nil {
		low, high := keyed{"search.bracket.low", b.Low}, keyed{"search.bracket.high", b.High}
		if err := validateBracket(low, found, high); err != nil {
			return err
		}
		figures = append(figures, low, high)
	}
	for i, n := range s.Undecided {
		if !(n > 0) || i > 0 && n <= s.Undecided[i-1] {
			return errors.New("search.undecided must be numbers above 0 in ascending order")
		}
		figures = append(figures, keyed{"search.undecided", n})
	}
	for _, f := range figures {
		if f.value != 0 && !r.tried(f.value) {
			return fmt.Errorf("%s is %g, which no step has tried", f.key, f.value)
		}
	}

	return nil
}

func validateBracket(low, found, high keyed) error {
	if err := possible(low, high); err != nil {
		return err
	}
	if err := ascending(low, found); err != nil {
		return err
	}
	if high.value != 0 && high.value <= found.value {
		return fmt.Errorf("%s of %g is not above %s of %g", high.key, high.value, found.key, found.value)
	}

	return nil
}

func (r *Report) tried(number float64) bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool {
		if r.Search.Of == ofRate {
			return s.Rate == number
		}

		return float64(s.Clients) == number
	})
}

func (r *Report) validatePublished() error {
	for _, series := range r.Published {
		for _, p := range series.Points {
			if p.Clients < 1 {
				return fmt.Errorf("published %q: a point of %s", series.Label, Plural(p.Clients, "client"))
			}
			if err := possible(keyed{"opsPerSecond", p.OpsPerSecond}); err != nil {
				return fmt.Errorf("published %q, %s: %w", series.Label, Plural(p.Clients, "client"), err)
			}
		}
	}

	return nil
}
