package command

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func newRecord(gs *state.GlobalState) *cobra.Command {
	var out string
	var force bool
	cmd := &cobra.Command{
		Use:   "record RUN [-o FILE] [--force]",
		Short: "Record a run as the baseline that later runs are judged by",
		Long: `Record a run as the baseline of its scenario's relative gates. It must be whole: not interrupted, every step
complete, no operation failed, and at least 4 repeats of each step (REPEATS=4), so that differences can be significant.

The file is thresholds/baselines/<scenario>.json when -o does not name another. One that is there already is replaced
only with --force.

Exit codes: 0, 104 when a file is invalid or the run cannot be a baseline, 1 when one cannot be read or written.`,
		Example: `  k6 x sweep record results/rollup.json
  k6 x sweep record results/rollup.json --force
  k6 x sweep record results/rollup.json -o thresholds/baselines/rollup-arm64.json`,
		Args: needs(1, 1, "one run"),
		RunE: func(_ *cobra.Command, args []string) error { return record(gs, args[0], out, force) },
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` to write to instead of thresholds/baselines/<scenario>.json")
	cmd.Flags().BoolVar(&force, "force", false, "replace a baseline that is there already")

	return cmd
}

func record(gs *state.GlobalState, file, out string, force bool) error {
	r, err := readReport(gs, file)
	if err != nil {
		return err
	}
	baseline, err := gate.Baseline(r)
	if err != nil {
		return unusable(file, err)
	}
	if out == "" {
		if out, err = baselineFile(r.Scenario); err != nil {
			return unusable(file, err)
		}
	}
	switch there, err := fsext.Exists(gs.FS, out); {
	case err != nil:
		return unusable(out, err)
	case there && !force:
		return unusable(out, errors.New("there is a baseline already: --force replaces it"))
	}
	raw, err := baseline.JSON()
	if err != nil {
		return unusable(file, err)
	}
	if err := write(gs, out, raw, file); err != nil {
		return err
	}

	return write(gs, "", fmt.Appendf(nil, "%s: baseline of %s: %s, %s on %s (%s, %s)\n",
		out, baseline.Scenario, report.Plural(len(baseline.Groups()), "step"), repeats(baseline),
		baseline.Host.CPU, report.Plural(baseline.Host.Cores, "core"), baseline.Host.OS))
}

// baselineFile is where the baseline of a scenario is kept.
func baselineFile(scenario string) (string, error) {
	if !filepath.IsLocal(scenario) || filepath.Base(scenario) != scenario || scenario == "." {
		return "", fmt.Errorf("the scenario's name %q cannot be a file's: choose one with -o", scenario)
	}

	return filepath.Join("thresholds", "baselines", scenario+".json"), nil
}

// repeats tells how often the steps were run.
func repeats(r *report.Report) string {
	least, most := 0, 0
	for _, g := range r.Groups() {
		if n := len(g.Steps); least == 0 || n < least {
			least = n
		}
		most = max(most, len(g.Steps))
	}
	if least == most {
		return report.Plural(most, "repeat")
	}

	return fmt.Sprintf("%d to %d repeats", least, most)
}
