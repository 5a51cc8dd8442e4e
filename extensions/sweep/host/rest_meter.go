package host

import (
	"time"
)

const (
	// RestWindow is the period over which a server's processor use is averaged.
	RestWindow = 250 * time.Millisecond
	// restWindows is how many windows decide whether a server is idle: a second.
	restWindows = 4
	// restCores is the maximum use of an idle server in cores.
	restCores = 0.05
	// steadyWindows is how many windows show steady background work: ten seconds.
	steadyWindows = 40
	// steadyCores is the maximum of background work in cores, and steadyPart its maximum relative
	// change.
	steadyCores, steadyPart = 0.15, 0.2
)

// RestMeter decides from its processor use whether a server is idle.
type RestMeter struct {
	cores []float64
}

// Add adds the use in the next window, in cores.
func (m *RestMeter) Add(cores float64) { m.cores = append(m.cores, cores) }

// Known reports whether Level has enough windows.
func (m *RestMeter) Known() bool { return len(m.cores) >= restWindows }

// Level returns the current use in cores.
func (m *RestMeter) Level() float64 { return m.mean(restWindows, 0) }

// mean averages n windows before the last skipped ones; 0 without any.
func (m *RestMeter) mean(n, skipped int) (mean float64) {
	end := max(len(m.cores)-skipped, 0)
	values := m.cores[max(end-n, 0):end]
	for _, cores := range values {
		mean += cores / float64(len(values))
	}

	return mean
}

// AtRest reports whether the server is idle, or does only a little steady background work.
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
