package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// How the gates are tried: so often with the same build, and so often with a server that got
// slower.
const (
	judgeTries  = 2                    // of each round, which has a baseline of its own
	judgeDelay  = 3 * time.Millisecond // of every request, before and after: what it is slower by then does not drown in noise
	judgeSlower = 0.2
)

// judged counts how the gates of a baseline judged runs of five repeats.
type judged struct {
	tolerances tolerances
	judgedRound
}

// judgedRound are the tries of a round, or of all.
type judgedRound struct{ Tries, FailedSame, CaughtSlower int }

// measureGates tries the gates.
func measureGates(e *effort) (result, error) {
	j := &judged{}
	var err error
	if j.tolerances, err = readTolerances("thresholds/" + judgeScenario + ".json"); err != nil {
		return nil, err
	}
	rounds, err := again(e, "gates", judgeClients, func(int) (judgedRound, error) { return judge(judgeTries, j.tolerances) })
	for _, r := range rounds {
		j.Tries += r.Tries
		j.FailedSame += r.FailedSame
		j.CaughtSlower += r.CaughtSlower
	}

	return j, err
}

// judge records the runs of a baseline, and then runs the same sweep as it was and slowed down, in
// turns.
func judge(tries int, t tolerances) (j judgedRound, err error) {
	p, address, err := newProxy(os.Getenv("MACHBASE_URL"))
	if err != nil {
		return j, err
	}
	defer p.listener.Close() //nolint:errcheck // over
	dir, err := os.MkdirTemp("", "judge")
	if err != nil {
		return j, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder

	s := &judgedSweep{address: address, dir: dir, thresholds: filepath.Join(dir, "thresholds.json")}
	if err := t.write(s.thresholds, "baseline.json"); err != nil {
		return j, err
	}
	p.delay.Store(int64(judgeDelay))
	latency, err := s.recordBaseline()
	if err != nil {
		return j, err
	}

	for range tries {
		p.delay.Store(int64(judgeDelay))
		same, err := s.judge()
		if err != nil {
			return j, err
		}
		p.delay.Store(int64(judgeDelay + time.Duration(judgeSlower*float64(latency))))
		slower, err := s.judge()
		if err != nil {
			return j, err
		}
		j.add(same, slower)
	}

	return j, nil
}

// add counts what the gates found of the same build, whose run fails as well where they could not
// tell, and of a slower one, which is caught where they could.
func (j *judgedRound) add(same, slower found) {
	j.Tries++
	if same.slower || same.unsure {
		j.FailedSame++
	}
	if slower.slower {
		j.CaughtSlower++
	}
}

func (j *judged) holds() bool { return j.FailedSame == 0 && j.CaughtSlower == j.Tries }

// String says what was tried, and what it came to.
func (j *judged) String() string {
	return fmt.Sprintf("gates against a baseline (%s), %d repeats each: %d clients, %d operations of each a repeat, "+
		"%d ms of delay in a proxy:\nthe same build fails in %d of %d tries (0); %.0f %% slower, by more delay, is caught in %d of %d (%d)",
		j.tolerances, judgeRepeats, judgeClients, judgeOperations, judgeDelay.Milliseconds(),
		j.FailedSame, j.Tries, 100*judgeSlower, j.CaughtSlower, j.Tries, j.Tries)
}
