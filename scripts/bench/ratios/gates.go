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
	Gate   string `json:"gate"`
	Held   bool   `json:"held"`
	Detail string `json:"detail"`
}

// compares tells whether the gate is one of those that the bench tries.
func (v verdict) compares() bool {
	return strings.HasSuffix(v.Gate, " of baseline") && (strings.HasPrefix(v.Gate, "ops/s of ") || strings.HasPrefix(v.Gate, "p99 of "))
}

// regressed tells whether a run was found slower than the baseline. A run that crossed another
// gate, or was not compared at all, proves nothing: that is an error.
func regressed(gates []verdict) (bool, error) {
	for _, needed := range []string{baselineFits, everyStep} {
		if !slices.ContainsFunc(gates, func(v verdict) bool { return v.Gate == needed }) {
			return false, fmt.Errorf("the report must have the gate %q, and has it not", needed)
		}
	}
	if !slices.ContainsFunc(gates, verdict.compares) {
		return false, errors.New("the report must have gates of ops/s and p99 against the baseline, and has none")
	}
	slower := false
	for _, v := range gates {
		switch {
		case v.Held:
		case v.compares():
			slower = true
		default:
			return false, fmt.Errorf("the gate %q was crossed, and only those of ops/s and p99 may be: %s", v.Gate, v.Detail)
		}
	}

	return slower, nil
}
