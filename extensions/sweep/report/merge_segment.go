package report

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// segmentParam is the parameter with the execution segment of a part.
const segmentParam = "segment"

const maxSegment = 200

type bounds struct {
	from, to *big.Rat
}

func (b bounds) String() string { return b.from.RatString() + ":" + b.to.RatString() }

// clients returns the segment's share of n clients.
func (b bounds) clients(n int) *big.Rat {
	length := new(big.Rat).Sub(b.to, b.from)

	return length.Mul(length, big.NewRat(int64(n), 1))
}

// fraction is a number in a segment as k6 writes it. It limits the size of what big.Rat reads.
var fraction = regexp.MustCompile(`^[0-9]+(/[0-9]+)?$`)

func parseSegment(text string) (bounds, error) {
	from, to, found := strings.Cut(text, ":")
	if len(text) > maxSegment || !found || !fraction.MatchString(from) || !fraction.MatchString(to) {
		return bounds{}, errors.New(`it must be two fractions such as "0:1/2"`)
	}
	a, known := new(big.Rat).SetString(from)
	b, alsoKnown := new(big.Rat).SetString(to)
	if !known || !alsoKnown {
		return bounds{}, errors.New("nothing can be divided by zero")
	}
	if a.Cmp(b) >= 0 || b.Cmp(big.NewRat(1, 1)) > 0 {
		return bounds{}, errors.New("its start must be before its end, and its end at most 1")
	}

	return bounds{a, b}, nil
}

// wholeRun returns the segments of the parts, which must cover the run exactly once.
func wholeRun(parts []*Report) ([]bounds, error) {
	segments := make([]bounds, len(parts))
	order := make([]int, len(parts))
	for i, part := range parts {
		text, told := part.Params[segmentParam].(string)
		if !told {
			return nil, fmt.Errorf("part %d has no params.segment: it was not run with an execution segment", i+1)
		}
		var err error
		if segments[i], err = parseSegment(text); err != nil {
			return nil, fmt.Errorf("part %d: params.segment is %q: %w", i+1, text, err)
		}
		order[i] = i
	}

	slices.SortStableFunc(order, func(a, b int) int { return segments[a].from.Cmp(segments[b].from) })
	end, before := new(big.Rat), 0
	for _, at := range order {
		switch s := segments[at]; end.Cmp(s.from) {
		case -1:
			return nil, fmt.Errorf("the parts are not the whole run: segment %s is missing", bounds{end, s.from})
		case 1:
			return nil, fmt.Errorf("parts %d and %d overlap: their segments are %s and %s",
				min(before, at)+1, max(before, at)+1, segments[min(before, at)], segments[max(before, at)])
		}
		end, before = segments[at].to, at
	}
	if whole := big.NewRat(1, 1); end.Cmp(whole) != 0 {
		return nil, fmt.Errorf("the parts are not the whole run: segment %s is missing", bounds{end, whole})
	}

	return segments, nil
}
