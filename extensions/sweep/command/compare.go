package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func newCompare(gs *state.GlobalState) *cobra.Command {
	var asJSON bool
	o := report.CompareOptions{}
	tolerance := ""
	cmd := &cobra.Command{
		Use:   "compare OLD NEW...",
		Short: "Compare runs step by step, and tell whether one got worse",
		Long: `Compare one or more new runs with an old one: ops/s, p50 and p99 of each step. The interval of 95 % of each ratio
(Welch's t of the logarithms of the repeats, at least 4 in both runs: REPEATS=4) is held against the tolerance; all rows
are one family (Holm). "~" stands for a difference that is within the tolerance and not significant, "?" for what cannot
be judged: too few repeats, a percentile with fewer than 10 operations beyond it, or a step that the old run lacks or did
not complete. What could not have shown a change of that size is undecided. "±" is how far the farther end of the
median's confidence interval is from it: 87.5 % of 4 repeats, 93.75 % of 5 (the lowest to the highest), at least 95 % of
more; fewer tell none.

The verdicts are of these two runs. Two runs of one build differ by more than their repeats: gates beside recorded runs
know by how much, and ab leaves it out.

A regression is a figure that surely got worse by more than the tolerance, a new run that was interrupted, or a step
that the new run lacks, that is incomplete in it or that has failed operations in it. So are the latencies of a step
that stood still in the new run for more than a tenth of its time; where it did in the old one, or k6 itself stood still
or was late, they are undecided. Of two searches (find), what they found is compared, and the steps that both have
tried; less found is a regression only when the brackets, in which the answers surely are, have no number in common.

With --json: an array with one comparison for each new run.

Exit codes: 0 when nothing got worse, 99 with a regression, 110 when there is none and something cannot be judged, 104
when a file is invalid or nothing can be compared, 1 when a file cannot be read.`,
		Example: `  k6 x sweep compare old.json new.json
  k6 x sweep compare main.json branch-a.json branch-b.json --tolerance 10%
  k6 x sweep compare old.json new.json --json`,
		Args: needs(2, 0, "an old run and at least one new run to compare with it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.Tolerance, err = percent(tolerance); err != nil || !(o.Tolerance >= 0 && o.Tolerance < 1) {
				return wrongUse(cmd, fmt.Errorf("a tolerance of %q is impossible: it must be from 0%% and below 100%%, such as 5%%", tolerance))
			}

			return compare(gs, args, o, asJSON)
		},
	}
	cmd.Flags().StringVar(&tolerance, "tolerance", "5%", "how much worse a figure may get, in `percent` of the old one")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of tables")

	return cmd
}

func percent(text string) (float64, error) {
	number, is := strings.CutSuffix(text, "%")
	if !is {
		return 0, errors.New("it must be in percent")
	}
	part, err := strconv.ParseFloat(number, 64)

	return part / 100, err
}

func compare(gs *state.GlobalState, files []string, o report.CompareOptions, asJSON bool) error {
	runs, err := readReports(gs, files)
	if err != nil {
		return err
	}
	report.DropOrigins(runs...)

	comparisons := make([]*report.Comparison, len(runs)-1)
	texts := make([]string, len(runs)-1)
	var regressed, undecided []string
	for i, run := range runs[1:] {
		file := files[i+1]
		c, err := report.Compare(runs[0], run, o)
		if err != nil {
			return unusable(files[0]+" and "+file, err)
		}
		c.Old.Name, c.New.Name = files[0], file
		comparisons[i], texts[i] = c, c.Text()
		switch {
		case c.Regressed:
			regressed = append(regressed, file)
		case c.Undecided:
			undecided = append(undecided, file)
		}
	}
	if asJSON {
		err = writeJSON(gs, comparisons)
	} else {
		err = write(gs, "", []byte(strings.Join(texts, "\n")))
	}
	switch {
	case err != nil:
		return err
	case len(regressed) > 0:
		return notHeld(fmt.Errorf("%s: worse than %s", strings.Join(regressed, ", "), files[0]), judgement.Crossed)
	case len(undecided) > 0:
		return notHeld(
			fmt.Errorf("%s: some figures cannot be judged beside %s", strings.Join(undecided, ", "), files[0]), judgement.Undecided)
	}

	return nil
}
