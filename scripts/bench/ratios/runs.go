package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// runsPart is the part of the page that tells how the runs have ended.
const runsPart = "runs"

// recorded judgements have these columns in the file.
const runsHead = "day\tmachine\tcommit\tpart\trow\tfigure\tk6 over it\toutcome"

// ending is a line of the file: what a bound has come to in a run of the bench, which is what was
// measured from a day on, on a machine.
type ending struct{ day, machine, commit, part, row, figure, shown, outcome string }

func (e *ending) run() string { return e.day + ", " + e.machine }

func (e *ending) line() string {
	return strings.Join([]string{e.day, e.machine, e.commit, e.part, e.row, e.figure, e.shown, e.outcome}, "\t")
}

// record keeps what the bounds of a part have come to, in place of what the same run has said of
// it before, and writes the page's part of all runs.
func (o *order) record(part string, kept *ledger, judgements []judgement) error {
	if o.runs == "" {
		return nil
	}
	day := kept.first.Format(time.DateOnly)
	all, err := readEndings(o.runs)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(e ending) bool {
		return e.day == day && e.machine == kept.stamp.Machine && e.part == part
	})
	for _, j := range judgements {
		all = append(all, ending{day, kept.stamp.Machine, kept.stamp.Commit, part, j.row, j.figure, j.shown, string(j.outcome)})
	}
	slices.SortStableFunc(all, func(a, b ending) int { return strings.Compare(a.run()+"\t"+a.part, b.run()+"\t"+b.part) })
	lines := []string{runsHead}
	for _, e := range all {
		lines = append(lines, e.line())
	}
	if err := os.WriteFile(o.runs, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil { //nolint:gosec // everybody may read it
		return err
	}

	return putPart(o.page, runsPart, runsTable(all))
}

// readEndings reads the file; there is none before the first run.
func readEndings(file string) ([]ending, error) {
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []ending
	for i, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		words := strings.Split(line, "\t")
		switch {
		case i == 0 && line == runsHead:
		case i == 0 || len(words) != strings.Count(runsHead, "\t")+1:
			return nil, fmt.Errorf("%s: line %d is not of the form %q", file, i+1, runsHead)
		default:
			all = append(all, ending{words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]})
		}
	}

	return all, nil
}

// runsTable is how each run has ended, and the bounds that were crossed in one of them, or in which
// k6 was behind.
func runsTable(all []ending) string {
	var runs []string
	counts := map[string]map[string]int{}
	commits := map[string][]string{}
	for _, e := range all {
		run := e.run()
		if counts[run] == nil {
			runs, counts[run] = append(runs, run), map[string]int{}
		}
		counts[run][e.outcome]++
		if !slices.Contains(commits[run], e.commit) {
			commits[run] = append(commits[run], e.commit)
		}
	}
	lines := []string{"| run | commit | bounds | held | undecided | behind | crossed |", "|---|---|---:|---:|---:|---:|---:|"}
	for _, run := range runs {
		n := counts[run]
		sum, counted := 0, ""
		for _, o := range []outcome{held, undecided, behind, crossed} {
			sum += n[string(o)]
			counted += fmt.Sprintf(" %d |", n[string(o)])
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %d |%s", run, strings.Join(commits[run], ", "), sum, counted))
	}

	return strings.Join(append(lines, crossedTable(all, runs)...), "\n")
}

// crossedTable has the bounds that k6 did not hold in one of the runs, with what they came to in
// each.
func crossedTable(all []ending, runs []string) []string {
	in := map[string]map[string]string{} // by the bound, and the run
	var worst []string
	for _, e := range all {
		bound := fmt.Sprintf("| %s | %s | %s |", e.part, e.row, e.figure)
		if in[bound] == nil {
			in[bound] = map[string]string{}
		}
		in[bound][e.run()] = e.shown
		if (e.outcome == string(crossed) || e.outcome == string(behind)) && !slices.Contains(worst, bound) {
			worst = append(worst, bound)
		}
	}
	if len(worst) == 0 {
		return nil
	}
	lines := []string{
		"\nCrossed in one of them, or behind:\n",
		"| part | row | figure | " + strings.Join(runs, " | ") + " |",
		"|---|---|---|" + strings.Repeat("---|", len(runs)),
	}
	for _, bound := range worst {
		line := bound
		for _, run := range runs {
			line += " " + orElse(in[bound][run], "–") + " |"
		}
		lines = append(lines, line)
	}

	return lines
}
