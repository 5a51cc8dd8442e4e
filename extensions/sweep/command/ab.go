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

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/ab"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/gate/judgement"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/paired"
)

const between = "---"

// mostPairs is the default limit for a trial with --until.
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
		Short: "Run two commands in turns, and judge the one beside the other",
		Long: `Run two commands in pairs, each in a process of its own, in random balanced order, and judge the ratio of their figures:
two builds of k6, two scripts, two settings, or any two programs. What disturbs the machine for longer than a pair
disturbs both, so that far smaller changes are seen than between two runs.

Of a k6 with a sweep, or with -o sweep, the figures are those of its steps: ops/s, percentiles, and processor time of an
operation. Its results go to a folder of each process (SWEEP_RESULTS). Where all requests of a script go to one host,
their names are without it. Of any other command they are its time and its processor time.

A gate is how much worse than base a figure may be, such as opsPerSecond=-5%, p99=+10%, cpu=+3% or time=+5%; it is for
every step. Without --gate it is opsPerSecond=-5%, p50=+5% where the script gives the rate, and time=+5% where there is
no report. A gate is held when the whole interval is within the tolerance, crossed when none of it is, and else
undecided: these pairs could not have seen a change of that size. Several gates are corrected for their number (Holm).
A figure that base has and the change lacks, such as p99 of a step that has become too slow for it, is crossed; one that
neither has is undecided.

With --until the trial ends when the intervals of the gated figures are that narrow to each side, such as 1%. They are
then those of Lai's confidence sequence, which holds however often somebody looks.

"could see" is the smallest change that such pairs show in four cases of five.

A command whose own thresholds are crossed (exit code 99 or 110) is judged by its figures all the same, and the text
says so; its steps with failed operations, and incomplete ones, have no figures. Latencies of an open loop that k6
itself started late, or of a step in which k6 itself stood still, say nothing of the server: the pair is left out.

Exit codes: 0 when every gate was held, 99 when one was crossed, 110 when none was and one is undecided, 104 when a
command fails, or when no step has the figure of a gate.`,
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
	cmd.Flags().IntVar(&o.pairs, "pairs", 10, "how many pairs; with --until how many at most, then 100 when not given")
	cmd.Flags().StringVar(&o.until, "until", "", "go on until intervals are that narrow, such as `1%`")
	cmd.Flags().StringArrayVar(&o.gates, "gate", nil, "how much worse a `figure` may be, such as opsPerSecond=-5% or p99=+10%")
	completes(cmd, "gate", []string{"opsPerSecond=-5%", "p50=+5%", "p99=+10%", "mean=+5%", "cpu=+3%", "time=+5%"})
	cmd.Flags().Uint64Var(&o.seed, "seed", 0, "of the random order; 0 for another one each time")
	cmd.Flags().StringVar(&o.dir, "keep", "", "keep the results of each process in this `folder`")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON instead of a table")

	return cmd
}

func twoCommands(cmd *cobra.Command, args []string) (base, change ab.Command, err error) {
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

func runAB(gs *state.GlobalState, cmd *cobra.Command, base, change ab.Command, o *abOptions) error {
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

	trial := ab.NewTrial(base, change, dir, o.seed)
	if err := measurePairs(ctx, gs, trial, gates, until, o.pairs); err != nil {
		if trial.Pairs < paired.Fewest || !errors.Is(err, context.Canceled) {
			return errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig)
		}
	}

	return conclude(gs, trial, gates, until > 0, o)
}

func (o *abOptions) parse(cmd *cobra.Command) (gates []ab.Gate, until float64, err error) {
	for _, text := range o.gates {
		gate, err := ab.ParseGate(text)
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
	if o.pairs < paired.Fewest {
		return nil, 0, fmt.Errorf("%d pairs are too few: an interval takes at least %d", o.pairs, paired.Fewest)
	}

	return gates, until, nil
}

func measurePairs(ctx context.Context, gs *state.GlobalState, trial *ab.Trial, gates []ab.Gate, until float64, most int) error {
	for trial.Pairs < most {
		if err := trial.Pair(ctx); err != nil {
			return err
		}
		if err := checkPair(gs, trial, gates); err != nil {
			return err
		}
		progress := fmt.Sprintf("pair %d of %d", trial.Pairs, most)
		if until > 0 && trial.Pairs >= paired.Fewest {
			precision, err := trial.Precision(gates)
			if err != nil {
				return err
			}
			progress = fmt.Sprintf("pair %d of at most %d: ±%.2g %%", trial.Pairs, most, 100*precision)
			if precision <= until {
				most = trial.Pairs
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
func checkPair(gs *state.GlobalState, trial *ab.Trial, gates []ab.Gate) error {
	if err := trial.Check(gates); err != nil || trial.Pairs > 1 {
		return err
	}
	lacking, err := trial.Lacks(gates)
	for _, why := range lacking {
		if _, err := fmt.Fprintln(gs.Stderr, why); err != nil {
			return unusable("standard error", err)
		}
	}

	return err
}

// conclude prints the results; its error is their outcome.
func conclude(gs *state.GlobalState, trial *ab.Trial, gates []ab.Gate, looked bool, o *abOptions) error {
	judgements, err := trial.Judge(gates, looked)
	if err != nil {
		return errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig)
	}
	if o.asJSON {
		err = writeJSON(gs, map[string]any{
			"base": trial.Base.String(), "change": trial.Change.String(), "pairs": trial.Pairs, "seed": o.seed, "figures": judgements,
			"failed": trial.Failed,
		})
	} else {
		err = write(gs, "", []byte(ab.Text(trial, judgements)))
	}
	if err != nil {
		return err
	}
	count := map[judgement.Outcome]int{}
	total := 0
	worst := judgement.Held
	for i := range judgements {
		if judgements[i].Gate != "" {
			count[judgements[i].Outcome]++
			total++
			worst = judgement.Worst(worst, judgements[i].Outcome)
		}
	}
	if worst == judgement.Held {
		return nil
	}

	return notHeld(fmt.Errorf("%d of %d gates crossed, %d undecided", count[judgement.Crossed], total, count[judgement.Undecided]), worst)
}
