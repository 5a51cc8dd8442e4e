package report

import (
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// mergeOverTime combines the parts' figures over time, for a step that began at started. It returns
// nil if a part has none.
func mergeOverTime(steps []partStep, started time.Time, elapsed time.Duration, before map[int]int) (*measure.OverTime, error) {
	if started.IsZero() {
		return nil, nil //nolint:nilnil // it is unknown when the parts ran
	}
	parts := make([]measure.PartOverTime, 0, len(steps))
	for _, s := range steps {
		o, err := s.Measured()
		if err != nil {
			return nil, fmt.Errorf("part %d, operation %q: %w", s.part+1, s.Op, err)
		}
		switch {
		case o != nil && o.Turns != nil:
			return nil, nil //nolint:nilnil // variants of several machines have no turns in common
		case o != nil:
			parts = append(parts, measure.PartOverTime{OverTime: o, Began: s.Started.Sub(started), FirstClient: before[s.part]})
		case s.Operations > 0 || s.Failed > 0:
			return nil, nil //nolint:nilnil // of a build that did not keep it
		}
	}

	return measure.MergeOverTime(parts, elapsed), nil
}
