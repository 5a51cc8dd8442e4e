package command

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

func newGate(gs *state.GlobalState) *cobra.Command {
	var asJSON bool
	var format string
	cmd := &cobra.Command{
		Use:   "gate RUN GATES",
		Short: "Judge a run by a gate file, as the run itself does",
		Long: `Judge a run by a gate file, with the same outcome as in the run itself. The baseline that the file names is read from
its folder. Each gate is one line with its verdict, the measured value, and the smallest change that it would detect:

  held       the limit is met; for a relative gate, the whole interval of the ratio is within the tolerance
  crossed    the limit is missed, or the step is missing, incomplete or has failed operations
  undecided  the run cannot answer: runs differ too much, there are too few operations, the baseline is from
             another machine, or k6 or a neighbour limited the step

An undecided gate fails, unless the file has "undecided": "pass".

With --json: an array with a verdict for each gate. --format github prints annotations for a pull request, for the gates
that were not held.

Exit codes: 0 when every gate was held, 99 when one was crossed, 110 when none was crossed and one is undecided, 104
when a file is invalid, 1 when one cannot be read.`,
		Example: `  k6 x sweep gate results/rollup.json thresholds/rollup.json
  k6 x sweep gate merged.json thresholds/rollup.json --json`,
		Args: needs(2, 2, "a run and a file of gates"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON {
				if cmd.Flags().Changed("format") {
					return wrongUse(cmd, errors.New("--json is a format: --format is not needed"))
				}
				format = "json"
			}
			show, known := verdictFormats[format]
			if !known {
				return wrongUse(cmd, fmt.Errorf("unknown format %q: it must be one of %s", format,
					strings.Join(slices.Sorted(maps.Keys(verdictFormats)), ", ")))
			}

			return judge(gs, args[0], args[1], show)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`format`: "+strings.Join(slices.Sorted(maps.Keys(verdictFormats)), ", "))
	completes(cmd, "format", slices.Sorted(maps.Keys(verdictFormats)))
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of lines")

	return cmd
}

var verdictFormats = map[string]func(verdicts []report.Verdict, file string) ([]byte, error){ //nolint:gochecknoglobals // a constant
	"text":   func(v []report.Verdict, _ string) ([]byte, error) { return []byte(lines(v)), nil },
	"json":   func(v []report.Verdict, _ string) ([]byte, error) { return indented(v) },
	"github": func(v []report.Verdict, file string) ([]byte, error) { return []byte(report.Annotations(v, file)), nil },
}

func judge(gs *state.GlobalState, file, gatesFile string, show func([]report.Verdict, string) ([]byte, error)) error {
	rawRun, err := read(gs, file)
	if err != nil {
		return err
	}
	if err := swapped(file, rawRun, aReport); err != nil {
		return err
	}
	r, err := parseReport(file, rawRun)
	if err != nil {
		return err
	}
	raw, err := read(gs, gatesFile)
	if err != nil {
		return err
	}
	if err := swapped(gatesFile, raw, aFileOfGates); err != nil {
		return err
	}
	f, err := gates(gs, gatesFile, raw)
	if err != nil {
		return err
	}

	verdicts := f.Judge(r)
	contents, err := show(verdicts, filepath.ToSlash(filepath.Clean(gatesFile)))
	if err == nil {
		err = write(gs, "", contents)
	}
	text, outcome := report.GatesText(verdicts)
	if err != nil || outcome == stats.Held {
		return err
	}

	return notHeld(fmt.Errorf("%s: %s", file, text), outcome)
}

func lines(verdicts []report.Verdict) string {
	var b strings.Builder
	for i := range verdicts {
		b.WriteString(verdicts[i].Line() + "\n")
	}

	return b.String()
}
