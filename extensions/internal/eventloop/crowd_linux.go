//go:build !portable

package eventloop

import "time"

// A loop that holds its processor looks away until a sixteenth of its clients have their answers,
// if those are two at least, and for so many nanoseconds at the most.
const (
	crowdPart   = 16
	longestAway = int64(time.Millisecond)
)

// crowd is what a loop knows of the answers to its clients.
type crowd struct {
	// answers is how many have come since looked, which is when the loop last waited, as now counts.
	answers int
	looked  int64
	// pace is the mean time from one to the next, most of it of the last sixteen waits, in
	// nanoseconds.
	pace int64
}

// looks is called at a time before the loop waits for answers.
func (c *crowd) looks(at int64) {
	if c.answers > 0 && c.looked > 0 {
		c.pace += ((at-c.looked)/int64(c.answers) - c.pace) / 16
	}
	c.looked, c.answers = at, 0
}

// away is for how long the loop does not have to look for answers to so many clients, in
// nanoseconds; 0: it has to.
func (c *crowd) away(clients int) int64 {
	long := c.pace * int64(clients) / crowdPart
	if clients < 2*crowdPart || long < shortestNap {
		return 0
	}

	return min(long, longestAway)
}
