package main

import (
	"math/rand/v2"
	"slices"
)

const (
	// commits are those of a history.
	commits = 400
	// steps are how many of them change something.
	steps = 8
	// apart is how many commits there are at least from one step to the next.
	apart = 25
	// smallestStep and largestStep are parts of the level before.
	smallestStep, largestStep = 0.03, 0.10
	// near is how many commits beside a step a change point may be to have found it.
	near = 5
)

// step is a planted one: from commit at on, the level is ratio times as high.
type step struct {
	at    int
	ratio float64
}

// plant returns a history of recorded noise, which begins somewhere in it, with steps in it.
func plant(random *rand.Rand, noise []float64, n int) (values []float64, planted []step) {
	begin := random.IntN(len(noise))
	values = make([]float64, commits)
	for i := range values {
		values[i] = noise[(begin+i)%len(noise)]
	}
	for len(planted) < n {
		at := apart + random.IntN(commits-2*apart)
		if slices.ContainsFunc(planted, func(s step) bool { return max(s.at-at, at-s.at) < apart }) {
			continue
		}
		size := smallestStep + (largestStep-smallestStep)*random.Float64()
		if random.IntN(2) == 0 {
			size = -size
		}
		planted = append(planted, step{at, 1 + size})
	}
	slices.SortFunc(planted, func(a, b step) int { return a.at - b.at })
	for _, s := range planted {
		for i := s.at; i < commits; i++ {
			values[i] *= s.ratio
		}
	}

	return values, planted
}

// score counts the steps that were found, and the change points that are no step.
func score(planted []step, found []int) (hits, alarms int) {
	taken := make([]bool, len(found))
	for _, s := range planted {
		best := -1
		for i, at := range found {
			if !taken[i] && max(s.at-at, at-s.at) <= near && (best < 0 || max(s.at-at, at-s.at) < max(s.at-found[best], found[best]-s.at)) {
				best = i
			}
		}
		if best >= 0 {
			taken[best] = true
			hits++
		}
	}
	for _, t := range taken {
		if !t {
			alarms++
		}
	}

	return hits, alarms
}
