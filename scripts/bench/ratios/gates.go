package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Gates that have to hold for the others to say anything.
const (
	baselineFits = "baseline fits"
	everyStep    = "every step complete and no operation failed"
)

// verdict is what is read of a report's gate.
type verdict struct {
	Gate    string `json:"gate"`
	Held    bool   `json:"held"`
	Outcome string `json:"outcome"`
	Detail  string `json:"detail"`
}

// compares tells whether the gate is one of those that the bench tries.
func (v verdict) compares() bool {
	return strings.HasSuffix(v.Gate, " of baseline") && (strings.HasPrefix(v.Gate, "ops/s of ") || strings.HasPrefix(v.Gate, "p99 of "))
}

// found is what the gates of a run came to.
type found struct {
	// slower tells that the run was found slower than the recorded ones, and unsure that it was
	// not, but could not be told from a slower one.
	slower, unsure bool
}

// regressed tells what the gates found. A run that did not hold another gate, or was not compared
// at all, proves nothing: that is an error.
func regressed(gates []verdict) (f found, err error) {
	for _, needed := range []string{baselineFits, everyStep} {
		if !slices.ContainsFunc(gates, func(v verdict) bool { return v.Gate == needed }) {
			return f, fmt.Errorf("the report must have the gate %q, and has it not", needed)
		}
	}
	if !slices.ContainsFunc(gates, verdict.compares) {
		return f, errors.New("the report must have gates of ops/s and p99 against the baseline, and has none")
	}
	for _, v := range gates {
		switch {
		case v.Held:
		case !v.compares():
			return found{}, fmt.Errorf("the gate %q did not hold, and only those of ops/s and p99 may: %s", v.Gate, v.Detail)
		case v.Outcome == "undecided":
			f.unsure = true
		default:
			f.slower = true
		}
	}
	f.unsure = f.unsure && !f.slower

	return f, nil
}
