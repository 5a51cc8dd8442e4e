package command

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
)

const lastRuns = 20

func newRecord(gs *state.GlobalState) *cobra.Command {
	o := recordOptions{}
	cmd := &cobra.Command{
		Use:   "record RUN... [-o FILE] [--force] [--last N]",
		Short: "Add runs to the baseline of a scenario's gates",
		Long: `Add runs to the baseline of their scenario's relative gates. The differences between recorded runs show how much runs
differ by chance. Gates need at least 3 recorded runs; with more, they detect smaller changes. Record separate
processes. A run must be complete: not interrupted, every step complete, no operation failed. A run that a neighbour
limited is refused: measure it again, or use --disturbed if the machine is always shared.

The file is thresholds/baselines/<scenario>.json, or the one of -o. A run that does not fit to the recorded ones
(machine, state, target, parameters) is refused; --force replaces them. A baseline keeps its last 20 runs.

The output shows how much the runs differ, and the smallest change that a gate would detect.

Exit codes: 0, 104 when a file is invalid or a run cannot be recorded, 1 when one cannot be read or written.`,
		Example: `  k6 x sweep record results/rollup.json
  k6 x sweep record run1/rollup.json run2/rollup.json run3/rollup.json --force
  k6 x sweep record results/rollup.json -o thresholds/baselines/rollup-arm64.json`,
		Args: needs(1, 0, "at least one run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.last < 1 {
				return wrongUse(cmd, fmt.Errorf("--last of %d is impossible: it must be a positive integer", o.last))
			}

			return record(gs, args, o)
		},
	}
	cmd.Flags().StringVarP(&o.out, "out", "o", "", "`file` to write to instead of thresholds/baselines/<scenario>.json")
	cmd.Flags().BoolVar(&o.force, "force", false, "replace the runs that are there already")
	cmd.Flags().BoolVar(&o.disturbed, "disturbed", false, "also record runs that a neighbour limited")
	cmd.Flags().IntVar(&o.last, "last", lastRuns, "number of `runs` to keep")

	return cmd
}

type recordOptions struct {
	out   string
	force bool
	last  int
	// disturbed permits runs that a neighbour limited.
	disturbed bool
}

func record(gs *state.GlobalState, files []string, o recordOptions) error { //nolint:cyclop // one case for each refusal
	runs, err := readReports(gs, files)
	if err != nil {
		return err
	}
	if o.out == "" {
		if o.out, err = baselineFile(runs[0].Scenario); err != nil {
			return unusable(files[0], err)
		}
	}
	baseline := &gate.Baseline{}
	there, err := fsext.Exists(gs.FS, o.out)
	if err != nil {
		return unusable(o.out, err)
	}
	if there && !o.force {
		if baseline, err = readBaseline(gs, o.out); err != nil {
			return err
		}
	}
	for i, r := range runs {
		if why := gate.Disturbed(r); why != "" && !o.disturbed {
			return unusable(files[i], fmt.Errorf("the run was disturbed: %s. Measure it again, or record it with --disturbed", why))
		}
		if err := baseline.Add(r); err != nil {
			if errors.Is(err, gate.ErrDoesNotFit) && !o.force {
				err = fmt.Errorf("%w; --force begins a new baseline", err)
			}

			return unusable(files[i], err)
		}
	}
	baseline.Last(o.last)
	raw, err := baseline.JSON()
	if err != nil {
		return unusable(files[0], err)
	}
	if err := write(gs, o.out, raw, files...); err != nil {
		return err
	}

	return write(gs, "", fmt.Appendf(nil, "%s: %s\n", o.out, baseline))
}

func baselineFile(scenario string) (string, error) {
	if !filepath.IsLocal(scenario) || filepath.Base(scenario) != scenario || scenario == "." {
		return "", fmt.Errorf("the scenario's name %q cannot be a file's: choose one with -o", scenario)
	}

	return filepath.Join("thresholds", "baselines", scenario+".json"), nil
}
