package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

func newCompare(gs *state.GlobalState) *cobra.Command {
	var asJSON bool
	o := report.CompareOptions{}
	tolerance := ""
	cmd := &cobra.Command{
		Use:   "compare OLD NEW...",
		Short: "Compare runs step by step and report regressions",
		Long: `Compare one or more new runs with an old one: ops/s, p50 and p99 of each step. Each ratio has a 95 % interval (Welch's t
test on the logarithms of the repeats, at least 4 in both runs: REPEATS=4), which is compared with the tolerance. All
rows are corrected as one family (Holm).

  ~  not significant, and within the tolerance
  ?  undecided: too few repeats, a percentile with fewer than 10 slower operations, a step that the old run lacks or
     did not complete, or a change that these repeats cannot detect
  ±  distance from the median to the farther end of its interval, with a confidence of 87.5 % for 4 repeats, 93.75 %
     for 5, and at least 95 % for more

The verdicts apply to these two runs. Two runs of one build differ by more than their repeats do: gates against recorded
runs account for that, and ab avoids it.

A regression is a figure that is certainly worse by more than the tolerance, an interrupted new run, or a step that is
missing, incomplete or has failures in the new run. Latencies of a step that paused in the new run for more than a tenth
of its time count as a regression too. They are undecided if the step paused in the old run, or if k6 itself paused or
was late. For two searches (find), the results and the common steps are compared. A lower result is a regression only if
the certain ranges of both results do not overlap.

With --json: an array with one comparison for each new run.

Exit codes: 0 when nothing got worse, 99 with a regression, 110 when there is none and something is undecided, 104 when
a file is invalid or nothing can be compared, 1 when a file cannot be read.`,
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
	err = show(gs, asJSON, comparisons, strings.Join(texts, "\n"))
	switch {
	case err != nil:
		return err
	case len(regressed) > 0:
		return notHeld(fmt.Errorf("%s: worse than %s", strings.Join(regressed, ", "), files[0]), stats.Crossed)
	case len(undecided) > 0:
		return notHeld(
			fmt.Errorf("%s: some figures cannot be judged beside %s", strings.Join(undecided, ", "), files[0]), stats.Undecided)
	}

	return nil
}
