package command

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// abText renders the results: a table, notes, and last the answer in words.
func abText(t *trial, judgements []abJudgement) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, in random balanced order\nbase:   %s\nchange: %s\n\n", report.Plural(t.Pairs, "pair"), t.Base, t.Change)
	lines := "step\tfigure\tbase\tchange\tchange/base\t95 % interval\tcould see\tgate\t\n"
	for i := range judgements {
		j := &judgements[i]
		if j.N == 0 {
			lines += fmt.Sprintf("%s\t%s\t%s\t%s\t-\t-\t-\t%s\t\n", cmp.Or(j.Step, "-"), j.name,
				inPairs(t.Pairs-j.Unknown-j.BaseLacks, t.Pairs), inPairs(t.Pairs-j.Unknown-j.ChangeLacks, t.Pairs), j.verdict())

			continue
		}
		lines += fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", cmp.Or(j.Step, "-"), j.name,
			j.show(j.BaseMedian), j.show(j.ChangeMedian), stats.Times(j.Ratio), stats.TimesRange(j.Low, j.High),
			stats.Percent(j.Visible), j.verdict())
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = io.WriteString(w, lines) // writes to memory cannot fail
	_ = w.Flush()

	return trimLines(b.String()) + t.failed() + lackings(t, judgements) + "\n" + answer(judgements) + "\n"
}

func inPairs(n, pairs int) string {
	if n == 0 {
		return "none"
	}

	return fmt.Sprintf("in %d of %d", n, pairs)
}

// failed names the commands whose own thresholds or gates did not hold, with the number of pairs.
func (t *trial) failed() (text string) {
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

func lackings(t *trial, judgements []abJudgement) (text string) {
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

func (j *abJudgement) verdict() string {
	switch j.Outcome {
	case stats.Crossed:
		return "CROSSED " + j.Gate
	case stats.Held, stats.Undecided:
		return string(j.Outcome) + " " + j.Gate
	}

	return ""
}

// answer says in words which command is better, by the figure that decides the outcome.
func answer(judgements []abJudgement) string {
	outcome, _ := abOutcome(judgements)
	var gated, decisive []*abJudgement // decisive ones have the outcome
	words := map[string]int{}
	for i := range judgements {
		if j := &judgements[i]; j.Gate != "" {
			gated = append(gated, j)
			words[j.word()]++
			if j.Outcome == outcome {
				decisive = append(decisive, j)
			}
		}
	}
	most := slices.MaxFunc(decisive, func(a, b *abJudgement) int { return cmp.Compare(a.weight(), b.weight()) })
	text := string(outcome) + ": " + most.sentence()
	if len(gated) == 1 {
		return text
	}
	var counts []string
	for _, word := range []string{stats.Worse, stats.Better, stats.Same, stats.CannotTell} {
		if words[word] > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", words[word], word))
		}
	}

	return fmt.Sprintf("%s\nof %d gated figures: %s", text, len(gated), strings.Join(counts, ", "))
}

func (j *abJudgement) word() string {
	switch {
	case j.N > 0:
		return stats.Compared(j.rate, j.Low, j.High)
	case j.Outcome == stats.Crossed:
		return stats.Worse
	default:
		return stats.CannotTell
	}
}

// weight orders figures of one outcome: certain differences first, then larger ones, and worse
// before better.
func (j *abJudgement) weight() float64 {
	if j.N == 0 {
		return math.Inf(1)
	}
	const worseFirst, certainFirst = 1e3, 1e6
	weight := math.Abs(math.Log(j.Ratio))
	switch j.word() {
	case stats.Worse:
		weight += worseFirst + certainFirst
	case stats.Better:
		weight += certainFirst
	}

	return weight
}

func (j *abJudgement) sentence() string {
	figure := j.name
	if j.Step != "" {
		figure += " of " + j.Step
	}
	if j.N == 0 {
		if j.Outcome == stats.Crossed {
			return "change is worse than base: only base has " + figure
		}

		return "cannot tell which is better: too few pairs have " + figure
	}
	ratio := stats.TimesWithin(j.Interval())
	switch word := j.word(); word {
	case stats.Same:
		return fmt.Sprintf("change is as good as base: %s is the %s, %s%s", figure, stats.Word(j.rate, j.Low, j.High), ratio, j.needed())
	case stats.CannotTell:
		return fmt.Sprintf("neither is certainly better: %s is %s of base%s", figure, ratio, j.needed())
	default:
		text := fmt.Sprintf("change is %s than base: %s is %s, %s", word, figure, difference(j.Ratio), ratio)
		if word == stats.Worse && j.Outcome == stats.Held {
			text += ", which " + j.Gate + " allows"
		}

		return text + j.needed()
	}
}

// difference describes a ratio in plain words.
func difference(ratio float64) string {
	const many = 2
	switch {
	case ratio >= many:
		return strconv.FormatFloat(ratio, 'g', 2, 64) + " times as high"
	case ratio >= 1:
		return stats.Percent(ratio-1) + " higher"
	default:
		return stats.Percent(1-ratio) + " lower"
	}
}

// needed returns how many pairs would decide the gate, as a clause.
func (j *abJudgement) needed() string {
	switch {
	case j.PairsNeeded == 0:
		return ""
	case j.PairsNeeded <= j.N:
		return fmt.Sprintf("; that is near to %s: it takes more pairs", j.Gate)
	default:
		return fmt.Sprintf("; with such noise, %s takes some %s", j.Gate, report.Plural(j.PairsNeeded, "pair"))
	}
}

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}

	return strings.Join(lines, "\n")
}
