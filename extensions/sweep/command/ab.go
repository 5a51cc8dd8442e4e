package command

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

const between = "---"

const mostPairs = 100

type abOptions struct {
	pairs  int
	until  string
	gates  []string
	seed   uint64
	dir    string
	asJSON bool
}

func newAB(gs *state.GlobalState) *cobra.Command {
	o := abOptions{}
	cmd := &cobra.Command{
		Use:   "ab [--pairs N] [--until PRECISION] [--gate GATE]... -- BASE... --- CHANGE...",
		Short: "Run two commands alternately and compare their figures",
		Long: `Run two commands alternately, in random balanced order, each time in a new process, and compare their figures pair by
pair. The commands may be two builds of k6, two scripts, two settings, or any two programs. Slow drifts of the machine
hit both commands of a pair alike, so ab detects much smaller changes than compare.

For k6 with a sweep, or with -o sweep, the figures are those of the steps: ops/s, percentiles, and CPU time per
operation. If all requests of a script go to one host, operation names leave it out. For other commands, the figures are
time and CPU time. Each process gets its own folder for results (SWEEP_RESULTS).

A gate is the allowed worsening of a figure, such as opsPerSecond=-5%, p99=+10%, cpu=+3% or time=+5%. It applies to
every step. The default is opsPerSecond=-5%; p50=+5% if the script sets the rate; time=+5% without a report.

  held       the whole interval is within the tolerance
  crossed    the whole interval is outside, or base has the figure and the change lacks it, such as p99 of a slow step
  undecided  these pairs cannot detect a change of that size, or both commands lack the figure

Ratios are change/base: the figure of the second command divided by that of the first. 1.100x is 10 % more than base:
better in ops/s, worse in a latency. The last lines are the answer: the verdict, which command is better, by how much.

Several gates are corrected for their number (Holm). "could see" is the smallest change that is detected with 80 %
probability.

--until 1% runs pairs until the intervals of the gated figures are that narrow. They are then Lai's confidence
sequences, which stay valid when they are checked after each pair.

A command that fails by its own thresholds (exit code 99 or 110) still counts, with a note. Its steps with failed
operations, and incomplete ones, have no figures. A pair is left out if k6 itself started operations late or paused.

Exit codes: 0 when every gate was held, 99 when one was crossed, 110 when none was crossed and one is undecided, 104
when a command fails, or when no step has the figure of a gate.`,
		Example: `  k6 x sweep ab --pairs 10 -- bin/k6-old run sweep.js --- bin/k6 run sweep.js
  k6 x sweep ab --until 1% --gate opsPerSecond=-3% -- k6 run -e DRIVER=machgo sweep.js --- k6 run sweep.js
  k6 x sweep ab --gate time=+2% -- ./old --- ./new`,
		Args: func(cmd *cobra.Command, args []string) error {
			_, _, err := twoCommands(cmd, args)

			return err
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			base, change, err := twoCommands(cmd, args)
			if err != nil {
				return err
			}

			return runAB(gs, cmd, base, change, &o)
		},
	}
	cmd.Flags().IntVar(&o.pairs, "pairs", 10, "number of pairs, at least 4; with --until the most pairs, by default 100")
	cmd.Flags().StringVar(&o.until, "until", "", "run pairs until intervals are that narrow, such as `1%`")
	cmd.Flags().StringArrayVar(&o.gates, "gate", nil, "allowed worsening of a `figure`, such as opsPerSecond=-5% or p99=+10%")
	completes(cmd, "gate", []string{"opsPerSecond=-5%", "p50=+5%", "p99=+10%", "mean=+5%", "cpu=+3%", "time=+5%"})
	cmd.Flags().Uint64Var(&o.seed, "seed", 0, "seed of the random order; 0 for a new one each time")
	cmd.Flags().StringVar(&o.dir, "keep", "", "keep the results of each process in this `folder`")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON instead of a table")

	return cmd
}

func twoCommands(cmd *cobra.Command, args []string) (base, change program, err error) {
	for i, arg := range args {
		if arg != between {
			continue
		}
		if base, change = args[:i], args[i+1:]; len(base) > 0 && len(change) > 0 {
			return base, change, nil
		}
	}

	return nil, nil, wrongUse(cmd, errors.New("two commands are needed: ab -- BASE... --- CHANGE... runs them in turns"))
}

func runAB(gs *state.GlobalState, cmd *cobra.Command, base, change program, o *abOptions) error {
	gates, until, err := o.parse(cmd)
	if err != nil {
		return wrongUse(cmd, err)
	}
	dir := o.dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "sweep-ab-"); err != nil {
			return unusable("the folder for results", err)
		}
		defer os.RemoveAll(dir) //nolint:errcheck // it is the system's folder for such things
	}
	if o.seed == 0 {
		o.seed = rand.Uint64()
	}
	ctx, stop := signal.NotifyContext(gs.Ctx, os.Interrupt)
	defer stop()

	t := newTrial(base, change, dir, o.seed)
	if err := measurePairs(ctx, gs, t, gates, until, o.pairs); err != nil {
		if t.Pairs < stats.FewestPairs || !errors.Is(err, context.Canceled) {
			return errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig)
		}
	}

	return conclude(gs, t, gates, until > 0, o)
}

func (o *abOptions) parse(cmd *cobra.Command) (gates []abGate, until float64, err error) {
	for _, text := range o.gates {
		gate, err := parseABGate(text)
		if err != nil {
			return nil, 0, err
		}
		gates = append(gates, gate)
	}
	if o.until != "" {
		if until, err = percent(o.until); err != nil || !(until > 0 && until < 1) {
			return nil, 0, fmt.Errorf("a precision of %q is impossible: it must be above 0%% and below 100%%, such as 1%%", o.until)
		}
		if !cmd.Flags().Changed("pairs") {
			o.pairs = mostPairs
		}
	}
	if o.pairs < stats.FewestPairs {
		return nil, 0, fmt.Errorf("%d pairs are too few: an interval takes at least %d", o.pairs, stats.FewestPairs)
	}

	return gates, until, nil
}

func measurePairs(ctx context.Context, gs *state.GlobalState, t *trial, gates []abGate, until float64, most int) error {
	for t.Pairs < most {
		if err := t.Pair(ctx); err != nil {
			return err
		}
		if err := checkPair(gs, t, gates); err != nil {
			return err
		}
		progress := fmt.Sprintf("pair %d of %d", t.Pairs, most)
		if until > 0 && t.Pairs >= stats.FewestPairs {
			precision, err := t.Precision(gates)
			if err != nil {
				return err
			}
			progress = fmt.Sprintf("pair %d of at most %d: ±%.2g %%", t.Pairs, most, 100*precision)
			if precision <= until {
				most = t.Pairs
			}
		}
		if _, err := fmt.Fprintln(gs.Stderr, progress); err != nil {
			return unusable("standard error", err)
		}
	}

	return nil
}

// checkPair returns an error if more pairs would not decide the gates. After the first pair it
// names the steps that stay undecided.
func checkPair(gs *state.GlobalState, t *trial, gates []abGate) error {
	if err := t.Check(gates); err != nil || t.Pairs > 1 {
		return err
	}
	lacking, err := t.Lacks(gates)
	for _, why := range lacking {
		if _, err := fmt.Fprintln(gs.Stderr, why); err != nil {
			return unusable("standard error", err)
		}
	}

	return err
}

func conclude(gs *state.GlobalState, t *trial, gates []abGate, looked bool, o *abOptions) error {
	judgements, err := t.Judge(gates, looked)
	if err != nil {
		return errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig)
	}
	err = show(gs, o.asJSON, map[string]any{
		"base": t.Base.String(), "change": t.Change.String(), "pairs": t.Pairs, "seed": o.seed, "figures": judgements, "failed": t.Failed,
	}, abText(t, judgements))
	if err != nil {
		return err
	}
	outcome, text := abOutcome(judgements)
	if outcome == stats.Held {
		return nil
	}

	return notHeld(errors.New(text), outcome)
}
