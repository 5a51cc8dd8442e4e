package ab

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Text renders the results: a table, and undecided gates.
func Text(t *Trial, judgements []Judgement) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, in random balanced order\nbase:   %s\nchange: %s\n\n", report.Plural(t.Pairs, "pair"), t.Base, t.Change)
	lines := "step\tfigure\tbase\tchange\tratio\t95 % interval\tcould see\tgate\t\n"
	for i := range judgements {
		j := &judgements[i]
		if j.N == 0 {
			lines += fmt.Sprintf("%s\t%s\t%s\t%s\t-\t-\t-\t%s\t\n", cmp.Or(j.Step, "-"), j.name,
				inPairs(t.Pairs-j.Unknown-j.BaseLacks, t.Pairs), inPairs(t.Pairs-j.Unknown-j.ChangeLacks, t.Pairs), j.verdict())

			continue
		}
		lines += fmt.Sprintf("%s\t%s\t%s\t%s\t%.3f\t%.3f to %.3f\t%s\t%s\t\n",
			cmp.Or(j.Step, "-"), j.name, j.show(j.BaseMedian), j.show(j.ChangeMedian), j.Ratio, j.Low, j.High,
			judgement.Percent(j.Visible), j.verdict())
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = io.WriteString(w, lines) // writes to memory cannot fail
	_ = w.Flush()

	return trimLines(b.String()) + t.failed() + lackings(t, judgements) + undecided(judgements)
}

func inPairs(n, pairs int) string {
	if n == 0 {
		return "none"
	}

	return fmt.Sprintf("in %d of %d", n, pairs)
}

// failed names the commands whose own thresholds or gates did not hold, with the number of pairs.
func (t *Trial) failed() (text string) {
	for _, command := range []string{"base", "change"} {
		n, said := 0, ""
		for _, f := range t.Failed {
			if f.Command == command {
				n, said = n+1, f.Said
			}
		}
		if n > 0 {
			text += fmt.Sprintf("\n%s ended in %d of %s with %s\n", command, n, report.Plural(t.Pairs, "pair"), said)
		}
	}

	return text
}

func lackings(t *Trial, judgements []Judgement) (text string) {
	for i := range judgements {
		j := &judgements[i]
		switch {
		case j.Lacking == "" || j.Gate == "":
		case j.N > 0:
			text += fmt.Sprintf("\nleft out: %d of %s, %s, %s: %s\n", j.Unknown, report.Plural(t.Pairs, "pair"), j.Step, j.name, j.Lacking)
		default:
			text += fmt.Sprintf("\n%s: %s, %s: %s\n", j.Outcome, j.Step, j.name, j.Lacking)
		}
	}

	return text
}

func (j *Judgement) verdict() string {
	switch j.Outcome {
	case judgement.Crossed:
		return "CROSSED " + j.Gate
	case judgement.Held, judgement.Undecided:
		return string(j.Outcome) + " " + j.Gate
	}

	return ""
}

func undecided(judgements []Judgement) string {
	needed, at := 0, -1
	for i := range judgements {
		if judgements[i].PairsNeeded > needed {
			needed, at = judgements[i].PairsNeeded, i
		}
	}
	if at < 0 {
		return ""
	}
	j := &judgements[at]
	if needed <= j.N {
		return fmt.Sprintf("\nundecided: the change of %s is near to what is tolerated; more pairs tell\n", j.name)
	}

	return fmt.Sprintf("\nundecided: with such noise it takes some %s to see a change of the tolerated size in %s\n",
		report.Plural(needed, "pair"), j.name)
}

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}

	return strings.Join(lines, "\n")
}
