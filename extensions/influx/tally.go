package influx

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// mostReasons bounds how many reasons are told apart.
const mostReasons = 20

const otherReasons = "other reasons"

// tally counts what became of the points.
type tally struct {
	mu      sync.Mutex
	written int
	dropped map[string]int // by the reason why
}

func (t *tally) wrote(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written += n
}

// drop counts points that are lost, and tells whether they are the first for this reason.
func (t *tally) drop(n int, why string) (first bool) {
	if n == 0 {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dropped == nil {
		t.dropped = map[string]int{}
	}
	if _, known := t.dropped[why]; !known && len(t.dropped) >= mostReasons {
		why = otherReasons
	}
	t.dropped[why] += n

	return t.dropped[why] == n
}

// lost is how many points were dropped.
func (t *tally) lost() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, some := range t.dropped {
		n += some
	}

	return n
}

// String is the summary, on one line, the most frequent reason first.
func (t *tally) String() string {
	lost := t.lost()
	t.mu.Lock()
	defer t.mu.Unlock()
	said := fmt.Sprintf("%s points written", report.Thousands(int64(t.written)))
	if lost == 0 {
		return said + ", none dropped"
	}
	reasons := slices.SortedFunc(maps.Keys(t.dropped), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.dropped[b], t.dropped[a]), cmp.Compare(a, b))
	})
	each := make([]string, 0, len(reasons))
	for _, why := range reasons {
		each = append(each, fmt.Sprintf("%s (%s)", report.Thousands(int64(t.dropped[why])), why))
	}

	return fmt.Sprintf("%s, %s DROPPED: %s", said, report.Thousands(int64(lost)), strings.Join(each, ", "))
}
