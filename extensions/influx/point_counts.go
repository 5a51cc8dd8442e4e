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

const mostReasons = 20

const otherReasons = "other reasons"

type pointCounts struct {
	mu      sync.Mutex
	written int
	dropped map[string]int
}

func (c *pointCounts) wrote(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written += n
}

func (c *pointCounts) drop(n int, why string) (first bool) {
	if n == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dropped == nil {
		c.dropped = map[string]int{}
	}
	if _, known := c.dropped[why]; !known && len(c.dropped) >= mostReasons {
		why = otherReasons
	}
	c.dropped[why] += n

	return c.dropped[why] == n
}

func (c *pointCounts) none() bool {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.written == 0
}

func (c *pointCounts) lost() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, some := range c.dropped {
		n += some
	}

	return n
}

// String returns the summary in one line, most frequent reason first.
func (c *pointCounts) String() string {
	lost := c.lost()
	c.mu.Lock()
	defer c.mu.Unlock()
	said := fmt.Sprintf("%s points written", report.Thousands(int64(c.written)))
	if lost == 0 {
		return said + ", none dropped"
	}
	reasons := slices.SortedFunc(maps.Keys(c.dropped), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.dropped[b], c.dropped[a]), cmp.Compare(a, b))
	})
	each := make([]string, 0, len(reasons))
	for _, why := range reasons {
		each = append(each, fmt.Sprintf("%s (%s)", report.Thousands(int64(c.dropped[why])), why))
	}

	return fmt.Sprintf("%s, %s DROPPED: %s", said, report.Thousands(int64(lost)), strings.Join(each, ", "))
}
