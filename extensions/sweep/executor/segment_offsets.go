package executor

import (
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// segmentPlaces are an execution segment's places in an open-loop schedule.
type segmentPlaces struct {
	tuple *lib.ExecutionTuple
	index *lib.SegmentedIndex
}

func newSegmentPlaces(et *lib.ExecutionTuple) func() measure.Places {
	return func() measure.Places { return &segmentPlaces{tuple: et, index: lib.NewSegmentedIndex(et)} }
}

// Next returns the next place.
func (s *segmentPlaces) Next() uint64 {
	_, unscaled := s.index.Next()

	return uint64(unscaled - 1)
}

// Among returns how many of the first n places belong to the segment.
func (s *segmentPlaces) Among(n uint64) uint64 { return uint64(s.tuple.ScaleInt64(int64(n))) }
