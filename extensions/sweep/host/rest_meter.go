package host

import (
	"time"
)

const (
	// RestWindow is how long a server's use of the processor is averaged for one value.
	RestWindow = 250 * time.Millisecond
	// restWindows is how many values in a row tell that a server is at rest: a second.
	restWindows = 4
	// restCores is what a server at rest uses at most, in cores.
	restCores = 0.05
	// steadyWindows is how many values tell that a server has work of its own that does not end:
	// ten seconds.
	steadyWindows = 40
	// steadyCores is how much that may be at most, in cores, and steadyPart by how much of itself
	// it may change.
	steadyCores, steadyPart = 0.15, 0.2
)

// RestMeter judges by its use of the processor whether a server is at rest.
type RestMeter struct {
	// cores are what the server used in each window.
	cores []float64
}

// Add takes what the server used in the next window, in cores.
func (m *RestMeter) Add(cores float64) { m.cores = append(m.cores, cores) }

// Known tells whether the server has been seen for long enough to tell what it uses.
func (m *RestMeter) Known() bool { return len(m.cores) >= restWindows }

// Level is what the server uses now, in cores.
func (m *RestMeter) Level() float64 { return m.mean(restWindows, 0) }

// mean is that of n values, of which the last is the one before the last skipped ones; zero without
// any.
func (m *RestMeter) mean(n, skipped int) (mean float64) {
	end := max(len(m.cores)-skipped, 0)
	values := m.cores[max(end-n, 0):end]
	for _, cores := range values {
		mean += cores / float64(len(values))
	}

	return mean
}

// AtRest tells whether the server does next to nothing, or little and always the same, as one that
// does something by itself.
func (m *RestMeter) AtRest() bool {
	switch {
	case !m.Known():
		return false
	case m.Level() <= restCores:
		return true
	case len(m.cores) < steadyWindows:
		return false
	}
	const half = steadyWindows / 2
	before, now := m.mean(half, half), m.mean(half, 0)

	return max(before, now) <= steadyCores && max(before, now)-min(before, now) <= steadyPart*max(before, now)
}
