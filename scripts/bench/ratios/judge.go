package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// How the gates are tried: so often with the same build, and so often with a server that got slower.
const (
	judgeTries  = 20
	judgeDelay  = 3 * time.Millisecond // of every request, before and after: what it is slower by then does not drown in noise
	judgeSlower = 0.2
)

const thresholdsFile = `{
  "scenario": "stock-rollup",
  "relative": { "baseline": "baseline.json", "opsPerSecondMayFall": 0.1, "p99MayRise": 0.25 }
}`

// judged counts how the gates of a baseline judged runs of five repeats.
type judged struct {
	tries, failedSame, caughtSlower int
}

// judge records a baseline, and then runs the same sweep as it was and slowed down, in turns.
func judge(tries int) (*judged, error) {
	p, address, err := newProxy(os.Getenv("MACHBASE_URL"))
	if err != nil {
		return nil, err
	}
	defer p.listener.Close() //nolint:errcheck // over
	dir, err := os.MkdirTemp("", "judge")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	thresholds := filepath.Join(dir, "thresholds.json")
	if err := os.WriteFile(thresholds, []byte(thresholdsFile), 0o600); err != nil {
		return nil, err
	}

	p.delay.Store(int64(judgeDelay))
	if crossed, err := judgedRun(address, dir, ""); err != nil || crossed {
		return nil, fmt.Errorf("the run for the baseline: crossed %v: %w", crossed, err)
	}
	record := exec.Command("bin/k6", "x", "sweep", "record", filepath.Join(dir, "stock-rollup.json"),
		"-o", filepath.Join(dir, "baseline.json"))
	if out, err := record.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("k6 x sweep record: %w\n%s", err, out)
	}
	latency, err := medianLatency(dir)
	if err != nil {
		return nil, err
	}

	j := &judged{tries: tries}
	for range tries {
		p.delay.Store(int64(judgeDelay))
		crossed, err := judgedRun(address, dir, thresholds)
		if err != nil {
			return nil, err
		}
		if crossed {
			j.failedSame++
		}
		p.delay.Store(int64(judgeDelay + time.Duration(judgeSlower*float64(latency))))
		if crossed, err = judgedRun(address, dir, thresholds); err != nil {
			return nil, err
		}
		if crossed {
			j.caughtSlower++
		}
	}

	return j, nil
}

// medianLatency is that of the baseline.
func medianLatency(dir string) (time.Duration, error) {
	steps, err := readSteps(filepath.Join(dir, "baseline.json"))
	if err != nil {
		return 0, err
	}
	var runs []figures
	for _, s := range steps {
		runs = append(runs, figures{P99Ms: s.Latency.P50})
	}

	return time.Duration(median(runs).P99Ms * float64(time.Millisecond)), nil
}

// judgedRun tells whether k6 found a gate crossed.
func judgedRun(address, dir, thresholds string) (crossed bool, err error) {
	args := []string{
		"run", "--quiet", "--no-color", "-e", "MACHBASE_URL=" + address, "-e", "RESULTS=" + dir, "-e", "REUSE=true",
		"-e", "CLIENTS=4", "-e", "OPS=100", "-e", "WARMUP=200ms", "-e", "PAUSE=0s", "-e", "REPEATS=5",
	}
	if thresholds != "" {
		args = append(args, "-e", "THRESHOLDS="+thresholds)
	}
	out, err := exec.Command("bin/k6", append(args, "scenarios/stock-rollup.js")...).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == exitThreshold {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("k6: %w\n%s", err, out)
	}

	return false, nil
}

// exitThreshold is k6's exit code when a threshold is crossed.
const exitThreshold = 99

func (j *judged) holds() bool { return j.failedSame == 0 && j.caughtSlower == j.tries }

// String says what it came to.
func (j *judged) String() string {
	return fmt.Sprintf("gates against a baseline, five repeats each: the same build fails in %d of %d tries (0); "+
		"%.0f %% slower, by a delay in a proxy, is caught in %d of %d (%d)",
		j.failedSame, j.tries, 100*judgeSlower, j.caughtSlower, j.tries, j.tries)
}
