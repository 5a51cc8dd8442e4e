package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// tolerances are those of a thresholds file: by which part of the baseline's a figure may get
// worse.
type tolerances struct {
	OpsPerSecondMayFall float64 `json:"opsPerSecondMayFall"`
	P99MayRise          float64 `json:"p99MayRise"`
}

// readTolerances reads them from a thresholds file, so that what is tried is what ships.
func readTolerances(file string) (tolerances, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return tolerances{}, err
	}
	var thresholds struct {
		Relative tolerances `json:"relative"`
	}
	if err := json.Unmarshal(raw, &thresholds); err != nil {
		return tolerances{}, fmt.Errorf("%s: %w", file, err)
	}
	if t := thresholds.Relative; t.OpsPerSecondMayFall <= 0 || t.P99MayRise <= 0 {
		return tolerances{}, fmt.Errorf("%s: relative must have opsPerSecondMayFall and p99MayRise: they are what is tried", file)
	}

	return thresholds.Relative, nil
}

// write writes a thresholds file with these tolerances alone: the absolute bounds of the one that
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
	return fmt.Sprintf("ops/s may fall by %.0f %%, p99 may rise by %.0f %%", 100*t.OpsPerSecondMayFall, 100*t.P99MayRise)
}
