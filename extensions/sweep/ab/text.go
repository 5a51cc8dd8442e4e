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

// Text is a trial's judgements for people: a table, and what is undecided.
func Text(t *Trial, judgements []Judgement) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, in random balanced order\nbase:   %s\nchange: %s\n\n", report.Plural(t.Pairs, "pair"), t.Base, t.Change)
	lines := "step\tfigure\tbase\tchange\tratio\t95 % interval\tcould see\tgate\t\n"
	for i := range judgements {
		j := &judgements[i]
		if len(j.Pairs) < t.Pairs {
			lines += fmt.Sprintf("%s\t%s\t%s\t%s\t-\t-\t-\t%s\t\n", cmp.Or(j.Step, "-"), j.name,
				inPairs(t.Pairs-j.BaseLacks, t.Pairs), inPairs(t.Pairs-j.ChangeLacks, t.Pairs), j.verdict())

			continue
		}
		lines += fmt.Sprintf("%s\t%s\t%s\t%s\t%.3f\t%.3f to %.3f\t%s\t%s\t\n",
			cmp.Or(j.Step, "-"), j.name, j.show(j.BaseMedian), j.show(j.ChangeMedian), j.Ratio, j.Low, j.High,
			judgement.Percent(j.Visible), j.verdict())
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = io.WriteString(w, lines) // to memory
	_ = w.Flush()

	return trimLines(b.String()) + lackings(judgements) + undecided(judgements)
}

// inPairs says in how many of the pairs a command has a figure.
func inPairs(n, pairs int) string {
	if n == 0 {
		return "none"
	}

	return fmt.Sprintf("in %d of %d", n, pairs)
}

// lackings says why gated figures are not there.
func lackings(judgements []Judgement) (text string) {
	for i := range judgements {
		if j := &judgements[i]; j.Lacking != "" {
			text += fmt.Sprintf("\n%s: %s, %s: %s\n", j.Outcome, j.Step, j.name, j.Lacking)
		}
	}

	return text
}

// verdict is the gate and what it came to.
func (j *Judgement) verdict() string {
	switch j.Outcome {
	case judgement.Crossed:
		return "CROSSED " + j.Gate
	case judgement.Held, judgement.Undecided:
		return string(j.Outcome) + " " + j.Gate
	}

	return ""
}

// undecided says what it takes to decide what is not decided yet.
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
