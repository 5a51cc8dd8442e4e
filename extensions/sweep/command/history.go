package command

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/history"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
)

type historyOptions struct {
	dir string
	// least and alpha are for show and check.
	least, alpha string
	// last is for check.
	last int
	// commit, when, subject and base are for add.
	commit, when, subject, base string
	format, out                 string
	asJSON                      bool
}

func newHistory(gs *state.GlobalState) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Keep the figures of runs over commits, and find changes",
		Long: `Keep the figures of runs over the commits of a repository, and find changes. Records are lines of JSON in the file
` + history.File + ` of a folder (--dir). Several processes may add records at the same time.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}

			return unknownCommand(cmd, args[0])
		},
	}
	cmd.AddCommand(newHistoryAdd(gs), newHistoryShow(gs), newHistoryCheck(gs))

	return cmd
}

func (o *historyOptions) place(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.dir, "dir", "history", "`folder` of the records")
}

func newHistoryAdd(gs *state.GlobalState) *cobra.Command {
	o := &historyOptions{}
	cmd := &cobra.Command{
		Use:   "add RUN... [--dir FOLDER] [--commit NAME]",
		Short: "Add runs to the history, at a commit",
		Long: `Add a record of each run at a commit: HEAD of this repository, or --commit. If git does not know the commit, --time sets
its time. A run is added only once.

A record has the medians of each step's repeats. Incomplete steps and steps with failed operations have no figures.

With --base, the ratios of a duet's change to its base are series too. They show much smaller changes, because
disturbances slow both variants. All records with the same base form one series.

Exit codes: 0, 104 when a file or an option is invalid, 1 when a file cannot be read or the record cannot be added.`,
		Example: `  k6 x sweep history add results/rollup.json
  k6 x sweep history add results/*.json --dir ../bench
  k6 x sweep history add old.json --commit v1.2.0`,
		Args: needs(1, 0, "at least one run"),
		RunE: func(cmd *cobra.Command, args []string) error { return historyAdd(gs, cmd, args, o) },
	}
	o.place(cmd)
	cmd.Flags().StringVar(&o.commit, "commit", "HEAD", "the `commit` that was measured")
	cmd.Flags().StringVar(&o.when, "time", "", "time of a commit that git does not know, such as `2026-03-01T12:00:00Z`")
	cmd.Flags().StringVar(&o.base, "base", "", "name of the base of the run's duets, such as `v1.2.0`: the same build each time")
	cmd.Flags().StringVar(&o.subject, "subject", "", "subject of a commit that git does not know")

	return cmd
}

func historyAdd(gs *state.GlobalState, cmd *cobra.Command, files []string, o *historyOptions) error {
	to := history.Folder(o.dir)
	at, err := o.commitOf(gs)
	if err != nil {
		return wrongUse(cmd, err)
	}
	reports, err := readReports(gs, files)
	if err != nil {
		return err
	}
	for i, r := range reports {
		record, err := history.NewRecord(r, at, o.base)
		if err != nil {
			return unusable(files[i], err)
		}
		added, err := to.Add(gs.Ctx, record)
		if err != nil {
			return notDone(to.String(), err)
		}
		line := fmt.Sprintf("%s: %s at %s, %s\n", to, r.Scenario, at.Short(), report.Plural(len(record.Steps), "step"))
		if !added {
			line = fmt.Sprintf("%s: %s at %s is there already\n", to, r.Scenario, at.Short())
		}
		if err := write(gs, "", []byte(line)); err != nil {
			return err
		}
	}

	return nil
}

// commitOf returns the measured commit from the flags, or from git.
func (o *historyOptions) commitOf(gs *state.GlobalState) (history.Commit, error) {
	if o.when != "" {
		at, err := time.Parse(time.RFC3339, o.when)
		if err != nil {
			return history.Commit{}, fmt.Errorf("a time of %q is impossible: it must be such as 2026-03-01T12:00:00Z", o.when)
		}
		if o.commit == "HEAD" {
			return history.Commit{}, errors.New("--time is for a commit that git does not know: name it with --commit")
		}

		return history.Commit{ID: o.commit, Time: at, Subject: o.subject}, nil
	}
	c, err := history.CommitAt(gs.Ctx, ".", o.commit)
	if err != nil {
		return c, fmt.Errorf("the commit %s is not known (%w): name it with --commit, and with --time where there is no git", o.commit, err)
	}
	c.Subject = cmp.Or(o.subject, c.Subject)

	return c, nil
}

func (o *historyOptions) look(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.least, "least", "2%", "the smallest change to report, in `percent` of the old level")
	cmd.Flags().StringVar(&o.alpha, "alpha", strconv.FormatFloat(history.DefaultAlpha, 'f', -1, 64),
		"how likely a change may be by `chance`")
}

func (o *historyOptions) read(cmd *cobra.Command) (*history.History, error) {
	from := history.Folder(o.dir)
	least, err := percent(o.least)
	if err != nil || !(least >= 0 && least < 1) {
		return nil, wrongUse(cmd, fmt.Errorf("--least %s is impossible: it must be from 0%% and below 100%%, such as 2%%", o.least))
	}
	alpha, err := strconv.ParseFloat(o.alpha, 64)
	if err != nil || !(alpha > 0 && alpha < 1) {
		return nil, wrongUse(cmd, fmt.Errorf("--alpha %s is impossible: it must be above 0 and below 1, such as 0.001", o.alpha))
	}
	raw, err := from.Read()
	if err != nil {
		return nil, notDone(from.String(), err)
	}
	records, notes := history.Parse(raw)
	if len(records) == 0 {
		return nil, unusable(from.String(), errors.New("there are no runs: k6 x sweep history add adds some"))
	}
	h := history.New(records, history.Options{Alpha: alpha, Least: least})
	h.Notes = notes

	return h, nil
}

func newHistoryShow(gs *state.GlobalState) *cobra.Command {
	o := &historyOptions{}
	cmd := &cobra.Command{
		Use:   "show [--dir FOLDER] [--format FORMAT] [-o FILE]",
		Short: "Show the changes over commits",
		Long: `Show the changes of figures, each with its size, 95 % interval and commit:

  md    a table of the changes
  html  one page with all steps and percentiles over the commits; it needs no network
  json  the changes, for programs

Runs form a series if scenario, parameters, kind of target and class of machine are the same. Other differences at a
change, such as the kernel, are listed with it.

Exit codes: 0, 104 when an option is invalid or there are no runs, 1 when a file cannot be read or written.`,
		Example: `  k6 x sweep history show
  k6 x sweep history show --dir ../bench --format html -o history.html`,
		Args: needs(0, -1, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return historyShow(gs, cmd, o) },
	}
	o.place(cmd)
	o.look(cmd)
	cmd.Flags().StringVar(&o.format, "format", "md", "`format`: html, json, md")
	completes(cmd, "format", slices.Sorted(maps.Keys(historyFormats)))
	cmd.Flags().StringVarP(&o.out, "out", "o", "", "`file` to write to instead of standard output")

	return cmd
}

func historyShow(gs *state.GlobalState, cmd *cobra.Command, o *historyOptions) error {
	render, known := historyFormats[o.format]
	if !known {
		return wrongUse(cmd, fmt.Errorf("unknown format %q: it must be one of html, json, md", o.format))
	}
	h, err := o.read(cmd)
	if err != nil {
		return err
	}
	contents, err := render(h)
	if err != nil {
		return unusable("the history", err)
	}

	return write(gs, o.out, contents)
}

func newHistoryCheck(gs *state.GlobalState) *cobra.Command {
	o := &historyOptions{}
	cmd := &cobra.Command{
		Use:   "check [--dir FOLDER] [--last N]",
		Short: "Check whether a figure got worse in the newest commits",
		Long: `Check whether a figure got worse in the newest commits: a change for the worse that may have begun in one of the last N
commits (--last), with no change after it.

A change needs at least 5 runs on each side, and more if the noise is large.

With --json: an array of these changes.

Exit codes: 0 when nothing got worse, 99 when something did, 110 when no series is long enough, 104 when an option is
invalid or there are no runs, 1 when a file cannot be read.`,
		Example: `  k6 x sweep history check
  k6 x sweep history check --dir ../bench --last 10 --least 5%`,
		Args: needs(0, -1, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return historyCheck(gs, cmd, o) },
	}
	o.place(cmd)
	o.look(cmd)
	cmd.Flags().IntVar(&o.last, "last", 20, "number of newest commits to check")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON instead of a table")

	return cmd
}

func historyCheck(gs *state.GlobalState, cmd *cobra.Command, o *historyOptions) error {
	if o.last < 1 {
		return wrongUse(cmd, fmt.Errorf("--last %d is impossible: it must be a positive integer", o.last))
	}
	h, err := o.read(cmd)
	if err != nil {
		return err
	}
	worse, judged := h.Worse(o.last)
	if o.asJSON || len(worse) > 0 {
		err = show(gs, o.asJSON, historyRows(worse), historyTable(worse))
	}
	switch {
	case err != nil:
		return err
	case len(worse) > 0:
		return errext.WithExitCodeIfNone(fmt.Errorf("%s got worse in the last %s", report.Plural(len(worse), "figure"),
			report.Plural(o.last, "commit")), exitcodes.ThresholdsHaveFailed)
	case judged == 0:
		return errext.WithExitCodeIfNone(fmt.Errorf("no series has %d runs yet, which is what a change takes", 2*history.FewestRuns),
			exitcodes.MarkedAsFailed)
	case !o.asJSON:
		text := fmt.Sprintf("nothing got worse: %s judged\n", report.Plural(judged, "figure"))
		for i := range h.Setups {
			for _, sentence := range h.Setups[i].Remarks() {
				text += fmt.Sprintf("%s, setup %s: %s\n", h.Setups[i].Scenario, h.Setups[i].ID, sentence)
			}
		}

		return write(gs, "", []byte(text))
	}

	return nil
}

var historyFormats = map[string]func(*history.History) ([]byte, error){ //nolint:gochecknoglobals // a constant
	"html": page.HistoryHTML,
	"json": func(h *history.History) ([]byte, error) { return indented(historyRows(h.All())) },
	"md":   func(h *history.History) ([]byte, error) { return []byte(historyMarkdown(h)), nil },
}

func sorted(changes []history.Found) []history.Found {
	slices.SortStableFunc(changes, func(a, b history.Found) int { return b.Change.First.Time.Compare(a.Change.First.Time) })

	return changes
}

type historyRow struct {
	Scenario string `json:"scenario"`
	Setup    string `json:"setup"`
	report.Key
	Figure string   `json:"figure"`
	Commit string   `json:"commit"`
	Before string   `json:"before"`
	Surely int      `json:"commits"`
	Ratio  float64  `json:"ratio"`
	Low    float64  `json:"low,omitempty"`
	High   float64  `json:"high,omitempty"`
	P      float64  `json:"p"`
	Worse  bool     `json:"worse"`
	Also   []string `json:"also,omitempty"`
}

func historyRows(found []history.Found) []historyRow {
	rows := make([]historyRow, 0, len(found))
	for _, f := range sorted(found) {
		c := f.Change
		rows = append(rows, historyRow{
			f.Setup.Scenario, f.Setup.ID, f.Series.Key, f.Series.Figure.Key, c.First.ID, c.Last.ID, c.Candidates,
			c.Ratio, c.Low, c.High, c.P, c.Worse, c.Also,
		})
	}

	return rows
}

func historyMarkdown(h *history.History) string {
	var b strings.Builder
	for _, note := range h.Notes {
		b.WriteString(note + "\n\n")
	}
	for i := range h.Setups {
		s := &h.Setups[i]
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s, setup %s: %s of %s\n\n", report.Escape(s.Scenario), s.ID, report.Plural(s.Runs, "run"),
			report.Plural(len(s.Commits), "commit"))
		for _, sentence := range s.Remarks() {
			b.WriteString(report.Escape(sentence) + "\n\n")
		}
		changes := s.Found()
		if len(changes) == 0 {
			b.WriteString("No change was found.\n")

			continue
		}
		b.WriteString(historyTable(changes))
	}

	return b.String()
}

func historyTable(found []history.Found) string {
	var b strings.Builder
	b.WriteString("| commit | subject | figure | change | how sure the commit is |\n| --- | --- | --- | --- | --- |\n")
	for _, f := range sorted(found) {
		c := f.Change
		verdict := "better"
		if c.Worse {
			verdict = "worse"
		}
		sure := c.Between()
		for _, also := range c.Also {
			sure += "; " + also
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s %s | %s |\n", c.First.Short(), report.Escape(c.First.Subject), report.Escape(f.Series.Name()),
			verdict, c.Text(), report.Escape(sure))
	}

	return b.String()
}
