package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// check compares the ratios of the last run with the previous run on the same machine. A
// ratio is worse if its complete interval is on the bad side of the earlier one.
func check([]string) error {
	all, err := allRuns()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("there is no complete run: `make bench` makes one")
	}
	last := all[len(all)-1]
	for i := len(all) - 2; i >= 0; i-- {
		if all[i].Machine != last.Machine {
			continue
		}
		worse := worseRatios(all[i], last)
		fmt.Printf("bench: %s of %s compared with %s of %s: %d ratios got worse\n",
			last.Commit, last.Started.Format("2006-01-02"), all[i].Commit, all[i].Started.Format("2006-01-02"), len(worse))
		if len(worse) > 0 {
			return errors.New("worse by more than the intervals allow:\n" + strings.Join(worse, "\n"))
		}

		return nil
	}

	return fmt.Errorf("there is no earlier run of %s", last.Machine)
}

func worseRatios(before, after *run) (worse []string) {
	for _, c := range after.Cells {
		old := before.find(c.Store, c.Work, c.Clients, c.Open)
		if old == nil || c.Clients < fewest {
			continue
		}
		w := named(c.Store, c.Work)
		first := w.programs[0].name
		for _, p := range w.programs[1:] {
			for _, f := range []struct {
				name   string
				figure func(figures) float64
				sign   float64 // 1: more is better
			}{{"rate", rate, 1}, {"CPU", cpu, -1}, {"p99", p99, -1}} {
				was, known := ratio(old.Runs[first], old.Runs[p.name], f.figure)
				is, knownNow := ratio(c.Runs[first], c.Runs[p.name], f.figure)
				if known && knownNow && isWorse(was, is, f.sign) {
					worse = append(worse, fmt.Sprintf("%s, %s, %d clients, %s to %s: %.2f [%.2f, %.2f], was %.2f [%.2f, %.2f]",
						c.Store, c.Work, c.Clients, f.name, p.name, is.Ratio, is.Low, is.High, was.Ratio, was.Low, was.High))
				}
			}
		}
	}

	return worse
}

func isWorse(was, is stats.Estimate, sign float64) bool {
	if sign > 0 {
		return is.High < was.Low
	}

	return is.Low > was.High
}
