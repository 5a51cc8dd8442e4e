package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/ab"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/history"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/history/store"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/paired"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// In the command of a bisection, checkout stands for the folder of a commit's checkout, and
// baseCheckout for that of the good one's: where the command has both, one run of it is a duet.
const (
	checkout     = "{}"
	baseCheckout = "{base}"
)

// bisectAlpha is how likely a bisection may be to name a wrong commit.
const bisectAlpha = 0.05

type bisectOptions struct {
	build, figure, step string
	most                int
}

func newBisect(gs *state.GlobalState) *cobra.Command {
	o := bisectOptions{}
	cmd := &cobra.Command{
		Use:   "bisect GOOD BAD [--build COMMAND] [--figure FIGURE] [--step STEP] -- COMMAND...",
		Short: "Find the commit that changed a figure, by measuring",
		Long: `Find the commit between GOOD and BAD that changed a figure. Each commit is checked out in a folder of its own, built there
by the shell (--build), and measured beside GOOD in pairs, as ab does: COMMAND runs in turns, with {} for the folder. The
figure is that of all steps together, by the mean of their ratios, or of the step that --step names.

With {base} in COMMAND, which stands for the folder of GOOD, one run of it measures both, as a duet: it starts a server of
each, and the sweep that has one as its base. That sees smaller changes in less time.

A commit has as many pairs as it takes to tell on which side of half the change it is, at most --pairs. The chance of a
wrong commit is 5 %, if one commit made the whole change. One that cannot be built or run is gone around.

It gives up, and says how far it has come, when the two ends do not differ, when a commit is near to half of the change
(several have made it), or when none in between can be measured.

Exit codes: 0 when the commit was found, 110 when it gives up, 104 when an option is invalid or an end cannot be measured.`,
		Example: `  k6 x sweep bisect v1.2.0 HEAD --build 'make bin/k6' -- {}/bin/k6 run {}/scenarios/rollup.js
  k6 x sweep bisect abc123 def456 --build 'make server' --figure p99 -- ./with-server.sh {} k6 run sweep.js
  k6 x sweep bisect abc123 def456 --build 'make server' -- ./with-both.sh {base} {} k6 run sweep.js`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 3 || cmd.ArgsLenAtDash() != 2 {
				return wrongUse(cmd, errors.New("bisect needs a good commit, a bad one and, after --, a command"))
			}

			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.most < history.FewestPairs {
				return wrongUse(cmd, fmt.Errorf("%d pairs are too few: an interval takes at least %d", o.most, history.FewestPairs))
			}

			return runBisect(gs, args[0], args[1], args[2:], &o)
		},
	}
	cmd.Flags().StringVar(&o.build, "build", "", "the shell's `command` that builds a checkout, in its folder")
	cmd.Flags().StringVar(&o.figure, "figure", "opsPerSecond", "the `figure`, as gates of ab name it, such as p99, cpu or time")
	cmd.Flags().StringVar(&o.step, "step", "", "the `step`, such as \"get, 8 clients\"; all of them when not given")
	cmd.Flags().IntVar(&o.most, "pairs", 400, "how many pairs a commit has at most")

	return cmd
}

func runBisect(gs *state.GlobalState, good, bad string, command []string, o *bisectOptions) error {
	ctx, stop := signal.NotifyContext(gs.Ctx, os.Interrupt)
	defer stop()
	commits, err := commitsBetween(ctx, good, bad)
	if err != nil {
		return errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig)
	}
	dir, err := os.MkdirTemp("", "sweep-bisect-")
	if err != nil {
		return unusable("the folder for checkouts", err)
	}
	m := &bisectMeasurer{bisectOptions: o, dir: dir, commits: commits, command: command, trials: map[int]*ab.Trial{}}
	defer m.remove()
	say := func(format string, args ...any) { fmt.Fprintf(gs.Stderr, format+"\n", args...) } //nolint:errcheck // a terminal
	say("%s between %s and %s", report.Plural(len(commits)-2, "commit"), commits[0].Short(), commits[len(commits)-1].Short())
	b, err := history.Bisect(ctx, len(commits), m.pair, history.BisectOptions{
		Alpha: bisectAlpha, Most: o.most,
		Progress: func(l history.Look) {
			verdict := "good"
			if l.Bad {
				verdict = "bad"
			}
			say("%s is %s: ratio %.3f (%.3f to %.3f) after %s",
				commits[l.Commit].Short(), verdict, l.Ratio, l.Low, l.High, report.Plural(l.N, "pair"))
		},
	})
	if err != nil {
		return errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig)
	}

	return concludeBisect(gs, b, commits)
}

// commitsBetween are the good commit, those that lead from it to the bad one along first parents,
// and the bad one.
func commitsBetween(ctx context.Context, good, bad string) ([]history.Commit, error) {
	first, err := store.CommitAt(ctx, ".", good)
	if err != nil {
		return nil, fmt.Errorf("the good commit %s: %w", good, err)
	}
	last, err := store.CommitAt(ctx, ".", bad)
	if err != nil {
		return nil, fmt.Errorf("the bad commit %s: %w", bad, err)
	}
	out, err := store.Git(ctx, ".", nil, nil, "rev-list", "--reverse", "--first-parent", first.ID+".."+last.ID)
	if err != nil {
		return nil, err
	}
	commits := []history.Commit{first}
	for _, id := range strings.Fields(string(out)) {
		commit, err := store.CommitAt(ctx, ".", id)
		if err != nil {
			return nil, err
		}
		commits = append(commits, commit)
	}
	if len(commits) < 2 {
		return nil, fmt.Errorf("%s is not a later commit than %s", last.Short(), first.Short())
	}

	return commits, nil
}

// concludeBisect prints what was found, or how far it has come.
func concludeBisect(gs *state.GlobalState, b *history.Bisection, commits []history.Commit) error {
	if b.GaveUp == "" {
		c := commits[b.Bad]

		return write(gs, "", fmt.Appendf(nil, "%s %s\nthe change is %+.1f %% (%+.1f to %+.1f %%), found with %s\n", c.ID, c.Subject,
			100*(b.Ratio.Ratio-1), 100*(b.Ratio.Low-1), 100*(b.Ratio.High-1), report.Plural(b.Pairs, "pair")))
	}
	between := fmt.Sprintf("it is one of %s, after %s and up to %s\n",
		report.Plural(b.Bad-b.Good, "commit"), commits[b.Good].ID, commits[b.Bad].ID)
	if err := write(gs, "", []byte(between)); err != nil {
		return err
	}

	return errext.WithExitCodeIfNone(errors.New(b.GaveUp), exitcodes.MarkedAsFailed)
}

// bisectMeasurer measures commits beside the good one.
type bisectMeasurer struct {
	*bisectOptions
	dir     string
	commits []history.Commit
	command []string
	trials  map[int]*ab.Trial
}

// pair measures one more pair of a commit, which it checks out and builds before its first one.
func (m *bisectMeasurer) pair(ctx context.Context, commit int) (paired.Pair, error) {
	trial := m.trials[commit]
	if trial == nil {
		if err := m.checkOut(ctx, 0); err != nil {
			return paired.Pair{}, fmt.Errorf("the good commit: %w", err)
		}
		if err := m.checkOut(ctx, commit); err != nil {
			return paired.Pair{}, m.orUnusable(ctx, commit, err)
		}
		trial = m.trial(commit)
		m.trials[commit] = trial
	}
	if err := trial.Pair(ctx); err != nil {
		return paired.Pair{}, m.orUnusable(ctx, commit, err)
	}

	return m.figureOf(trial)
}

// orUnusable is the error of a commit between the ends, which can be gone around; the bad end
// cannot.
func (m *bisectMeasurer) orUnusable(ctx context.Context, commit int, err error) error {
	if ctx.Err() != nil || commit == len(m.commits)-1 {
		return err
	}

	return fmt.Errorf("%w: %w", history.ErrUnusable, err)
}

// trial is what measures a commit that is checked out.
func (m *bisectMeasurer) trial(commit int) *ab.Trial {
	results := filepath.Join(m.dir, fmt.Sprintf("results-%d", commit))
	if slices.ContainsFunc(m.command, func(word string) bool { return strings.Contains(word, baseCheckout) }) {
		return ab.NewDuets(m.commandOf(commit), results)
	}

	return ab.NewTrial(m.commandOf(0), m.commandOf(commit), results, uint64(commit))
}

// commandOf is the command of a commit.
func (m *bisectMeasurer) commandOf(commit int) ab.Command {
	command := make(ab.Command, len(m.command))
	for i, word := range m.command {
		command[i] = strings.NewReplacer(checkout, m.folder(commit), baseCheckout, m.folder(0)).Replace(word)
	}

	return command
}

func (m *bisectMeasurer) folder(commit int) string {
	return filepath.Join(m.dir, m.commits[commit].Short())
}

// checkOut checks a commit out and builds it, when that was not done yet.
func (m *bisectMeasurer) checkOut(ctx context.Context, commit int) error {
	folder := m.folder(commit)
	if _, err := os.Stat(folder); err == nil {
		return nil
	}
	if _, err := store.Git(ctx, ".", nil, nil, "worktree", "add", "--quiet", "--detach", folder, m.commits[commit].ID); err != nil {
		return err
	}
	if m.build == "" {
		return nil
	}
	build := exec.CommandContext(ctx, "sh", "-c", m.build)
	build.Dir = folder
	var said bytes.Buffer
	build.Stdout, build.Stderr = &said, &said
	if err := build.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")

		return fmt.Errorf("%s cannot be built: %w: %s", m.commits[commit].Short(), err, lines[len(lines)-1])
	}

	return nil
}

// figureOf is the newest pair of the figure: of several steps, the geometric means.
func (m *bisectMeasurer) figureOf(trial *ab.Trial) (paired.Pair, error) {
	var base, change float64
	n := 0
	var known []string
	for i := range trial.Figures {
		f := &trial.Figures[i]
		known = append(known, strings.TrimSpace(f.Key+" "+f.Step))
		if f.Key != m.figure || m.step != "" && f.Step != m.step {
			continue
		}
		newest := f.Pairs[len(f.Pairs)-1]
		base, change, n = base+math.Log(newest.Base), change+math.Log(newest.Change), n+1
	}
	if n == 0 {
		slices.Sort(known)

		return paired.Pair{}, fmt.Errorf("there is no figure %s: it must be one of %s",
			strings.TrimSpace(m.figure+" "+m.step), strings.Join(known, "; "))
	}

	return paired.Pair{Base: math.Exp(base / float64(n)), Change: math.Exp(change / float64(n))}, nil
}

// remove takes the checkouts away.
func (m *bisectMeasurer) remove() {
	ctx := context.Background() // after an interrupt, too
	for i := range m.commits {
		folder := m.folder(i)
		if _, err := os.Stat(folder); err == nil {
			_, _ = store.Git(ctx, ".", nil, nil, "worktree", "remove", "--force", folder) // the folder goes anyway
		}
	}
	_ = os.RemoveAll(m.dir) // it is the system's folder for such things
}
