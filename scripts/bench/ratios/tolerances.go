package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// tolerances are those of a file of gates: by which part of the baseline's a figure may get
// worse.
type tolerances struct {
	OpsPerSecond string `json:"opsPerSecond"` // such as "-10%"
	P99          string `json:"p99"`          // such as "+30%"
}

// readTolerances reads them from a file of gates, so that what is tried is what ships.
func readTolerances(file string) (tolerances, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return tolerances{}, err
	}
	var gates struct {
		Relative tolerances `json:"relative"`
	}
	if err := json.Unmarshal(raw, &gates); err != nil {
		return tolerances{}, fmt.Errorf("%s: %w", file, err)
	}
	if t := gates.Relative; t.OpsPerSecond == "" || t.P99 == "" {
		return tolerances{}, fmt.Errorf("%s: relative must have opsPerSecond and p99: they are what is tried", file)
	}

	return gates.Relative, nil
}

// write writes a file of gates with these tolerances alone: the absolute bounds of the one that
// ships are for any machine, and say nothing about a difference to a baseline.
func (t tolerances) write(file, baseline string) error {
	type relative struct {
		Baseline string `json:"baseline"`
		tolerances
	}
	raw, err := json.Marshal(map[string]any{"scenario": judgeScenario, "relative": relative{baseline, t}})
	if err != nil {
		return err
	}

	return os.WriteFile(file, raw, 0o600)
}

// String says how much is tolerated.
func (t tolerances) String() string {
	return fmt.Sprintf("ops/s may fall by %s %%, p99 may rise by %s %%", strings.Trim(t.OpsPerSecond, "-%"), strings.Trim(t.P99, "+%"))
}
