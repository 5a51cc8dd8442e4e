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
		Short: "Put the parts of a run of several machines together",
		Long: `Put the parts of one run together that several instances of k6 made, each with an execution segment of its own
(k6 run --execution-segment). The segments must be the whole run, and the parts must agree in what was run.

Latencies and client times are merged through their histograms: percentiles are those of all operations, not means of
percentiles. Numbers are summed, and divided by the time in which at least one part was at work in the step.

Parts are laid beside each other by their machines' clocks, which have to agree (NTP): where they differ, steps seem not
to have run at the same time. A step whose parts were together for less than 95 % of the shortest one's time is marked
as not complete, which is said on standard error. Parts that did no step together and started more than a minute apart
are refused. Reports of older builds do not have the times of their steps: these are taken to have begun at once.

The report is written to standard output, or to the file that -o names.

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
