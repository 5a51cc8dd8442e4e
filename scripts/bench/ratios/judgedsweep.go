package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// The sweep that is judged.
const (
	judgeScenario   = "stock-rollup"
	judgeClients    = 4
	judgeOperations = 100 // of each client
	judgeRepeats    = 5
	judgeRecorded   = 5 // runs
)

// exitThreshold is k6's exit code when a threshold is crossed.
const exitThreshold = 99

// judgedSweep is the sweep that is run again and again.
type judgedSweep struct {
	address, dir, thresholds string
}

// recordBaseline records the runs of the baseline, and returns the median latency of the last one.
func (s *judgedSweep) recordBaseline() (time.Duration, error) {
	for range judgeRecorded {
		failed, err := s.run()
		if err != nil {
			return 0, fmt.Errorf("a run for the baseline failed: %w", err)
		}
		if failed {
			return 0, fmt.Errorf("a run for the baseline crossed a threshold of scenarios/%s.js: it must hold them all", judgeScenario)
		}
		baseline := filepath.Join(s.dir, "baseline.json")
		if out, err := exec.Command("bin/k6", "x", "sweep", "record", s.report(), "-o", baseline).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("k6 x sweep record: %w\n%s", err, out)
		}
	}

	return medianLatency(s.report())
}

// medianLatency is that of a report's steps.
func medianLatency(file string) (time.Duration, error) {
	r, err := readReport(file)
	if err != nil {
		return 0, err
	}
	if len(r.Steps) == 0 {
		return 0, fmt.Errorf("%s: the report has no steps", file)
	}
	latencies := make([]float64, 0, len(r.Steps))
	for _, s := range r.Steps {
		latencies = append(latencies, s.Latency.P50)
	}

	return time.Duration(middle(latencies) * float64(time.Millisecond)), nil
}

// judge runs the sweep with its gates, and returns what they found.
func (s *judgedSweep) judge() (found, error) {
	failed, err := s.run("-e", "GATES="+s.thresholds)
	if err != nil {
		return found{}, err
	}
	r, err := readReport(s.report())
	if err != nil {
		return found{}, err
	}
	f, err := regressed(r.Gates)
	if err != nil {
		return found{}, err
	}
	if notHeld := f.slower || f.unsure; notHeld != failed {
		return found{}, fmt.Errorf("k6's exit code says that a gate did not hold: %t, its report: %t; both must say the same", failed, notHeld)
	}

	return f, nil
}

func (s *judgedSweep) report() string { return filepath.Join(s.dir, judgeScenario+".json") }

// run tells whether a threshold of k6 did not hold. The report is this run's, and never one that
// was left by the last.
func (s *judgedSweep) run(more ...string) (failed bool, err error) {
	if err := os.RemoveAll(s.report()); err != nil {
		return false, err
	}
	args := append([]string{
		"run", "--quiet", "--no-color", "-e", "MACHBASE_URL=" + s.address, "-e", "RESULTS=" + s.dir, "-e", "REUSE=true",
		"-e", "CLIENTS=" + strconv.Itoa(judgeClients), "-e", "ITERATIONS=" + strconv.Itoa(judgeOperations),
		"-e", "REPEATS=" + strconv.Itoa(judgeRepeats), "-e", "WARMUP=200ms", "-e", "PAUSE=0s", "-e", "QUIET=0s",
	}, more...)
	out, err := exec.Command("bin/k6", append(args, "scenarios/"+judgeScenario+".js")...).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == exitThreshold {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("k6: %w\n%s", err, out)
	}

	return false, nil
}
