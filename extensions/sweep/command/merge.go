package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func newMerge(gs *state.GlobalState) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge PART... [-o FILE]",
		Short: "Merge the parts of a run on several machines",
		Long: `Merge the parts of one run that several k6 instances measured, each with its execution segment (k6 run
--execution-segment). The segments must cover the run exactly once, and the parts must agree in what was run.

Histograms are added, so percentiles cover all operations and are never averaged. Counts are added, and divided by the
time in which at least one part ran the step.

The parts are aligned by their machines' clocks, which have to agree (NTP). A step whose parts ran together for less
than 95 % of the shortest part's time is marked as incomplete, with a line on standard error. Parts without a common
step that started more than a minute apart are refused.

The report is written to standard output, or to the file of -o.

Exit codes: 0, 104 when a file is invalid or the parts do not fit together, 1 when one cannot be read or written.`,
		Example: `  k6 run sweep.js --execution-segment 0:1/2 --execution-segment-sequence 0,1/2,1 -e RESULTS=part1   # on one machine
  k6 run sweep.js --execution-segment 1/2:1 --execution-segment-sequence 0,1/2,1 -e RESULTS=part2   # on another
  k6 x sweep merge part1/rollup.json part2/rollup.json -o results/rollup.json`,
		Args: needs(2, 0, "at least 2 parts"),
		RunE: func(_ *cobra.Command, args []string) error { return merge(gs, args, out) },
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` to write to instead of standard output")

	return cmd
}

func merge(gs *state.GlobalState, files []string, out string) error {
	parts, err := readReports(gs, files)
	if err != nil {
		return err
	}
	merged, notes, err := report.Merge(parts...)
	if err != nil {
		return unusable(strings.Join(files, ", "), err)
	}
	for _, note := range notes {
		if _, err := fmt.Fprintf(gs.Stderr, "k6 x sweep merge: %s\n", note); err != nil {
			return unusable("standard error", err)
		}
	}
	raw, err := merged.JSON()
	if err != nil {
		return unusable(strings.Join(files, ", "), err)
	}
	if err := write(gs, out, raw, files...); err != nil || out == "" {
		return err
	}

	return write(gs, "", fmt.Appendf(nil, "%s: %s of %s, %s\n",
		out, report.Plural(len(parts), "part"), merged.Scenario, report.Plural(len(merged.Groups()), "step")))
}
