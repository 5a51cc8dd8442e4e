package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// trial measures two commands in pairs, each run in a new process. The first one of a pair is
// random, but balanced over each two pairs, so that drifts of the machine cancel.
type trial struct {
	Base, Change program
	Dir          string
	// Figures of all processes, in order of appearance.
	Figures []abFigure
	Pairs   int
	// Failed are processes that count although their own thresholds or gates did not hold, in order.
	Failed []abFailed

	order *rand.Rand
	// changeFirst is set if the last pair began with change.
	changeFirst bool
}

// abFailed is a process that exited with 99 or 110.
type abFailed struct {
	Pair    int    `json:"pair"`
	Command string `json:"command"` // base or change
	Said    string `json:"said"`    // such as "exit code 99: thresholds on metrics 'checks' have been crossed"
}

// newTrial prepares a trial whose order follows from seed.
func newTrial(base, change program, dir string, seed uint64) *trial {
	return &trial{Base: base, Change: change, Dir: dir, order: rand.New(rand.NewPCG(seed, 0))}
}

// Pair measures one more pair. The error names the command that failed. Earlier pairs are kept.
func (t *trial) Pair(ctx context.Context) error {
	if t.Pairs%2 == 0 {
		t.changeFirst = t.order.IntN(2) == 0
	} else {
		t.changeFirst = !t.changeFirst // balance two pairs
	}
	var base, change []abValue
	sides := []func() error{
		func() (err error) { base, err = t.side(ctx, "base", t.Base); return err },
		func() (err error) { change, err = t.side(ctx, "change", t.Change); return err },
	}
	if t.changeFirst {
		slices.Reverse(sides)
	}
	for _, side := range sides {
		if err := side(); err != nil {
			return err
		}
	}

	return t.add(base, change)
}

func (t *trial) side(ctx context.Context, name string, c program) ([]abValue, error) {
	values, failed, err := c.run(ctx, filepath.Join(t.Dir, fmt.Sprintf("pair-%02d-%s", t.Pairs+1, name)))
	if err != nil {
		return nil, fmt.Errorf("pair %d, %s (%s): %w", t.Pairs+1, name, c, err)
	}

	if failed != nil {
		t.Failed = append(t.Failed, abFailed{Pair: t.Pairs + 1, Command: name, Said: failed.Error()})
	}

	return values, nil
}

// add adds the figures of a pair. Missing figures are counted, so that a step too slow for a p99
// still fails its gate. A figure delayed by k6 counts as unknown.
func (t *trial) add(base, change []abValue) error {
	figures := slices.Clone(t.Figures)
	for _, v := range slices.Concat(base, change) {
		if !slices.ContainsFunc(figures, func(f abFigure) bool { return f.same(&v.abFigure) }) {
			f := v.abFigure
			f.Lacking, f.BaseLacks, f.ChangeLacks = "", t.Pairs, t.Pairs
			figures = append(figures, f)
		}
	}
	common := false
	for i := range figures {
		f := &figures[i]
		b, c := find(base, f), find(change, f)
		if b.unknown || c.unknown {
			common = true
			f.Unknown++
			if f.Lacking = c.Lacking; b.unknown {
				f.Lacking = b.Lacking
			}

			continue
		}
		common = common || b.of > 0 && c.of > 0
		for _, side := range []struct {
			abValue
			lacks *int
		}{{b, &f.BaseLacks}, {c, &f.ChangeLacks}} {
			if side.of == 0 {
				*side.lacks++
				f.Lacking = side.Lacking
			}
		}
		if b.of > 0 && c.of > 0 {
			f.Pairs = append(f.Pairs, stats.Pair{Base: b.of, Change: c.of})
		}
	}
	if !common {
		return fmt.Errorf("pair %d: the two commands have no figure in common: base measured %s, and change %s; "+
			"give an operation the same name and clients in both, such as sweep.op('get', ...) and -e CLIENTS=8",
			t.Pairs+1, stepsOf(base), stepsOf(change))
	}
	t.Figures = figures
	t.Pairs++

	return nil
}

// stepsOf lists the steps with figures, for errors.
func stepsOf(values []abValue) string {
	const most = 5
	var steps []string
	for i := range values {
		if step := strconv.Quote(cmp.Or(values[i].Step, "the time of the process")); !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	if more := len(steps) - most; more > 0 {
		steps = append(steps[:most], fmt.Sprintf("%d more", more))
	}

	return cmp.Or(strings.Join(steps, ", "), "nothing")
}

func find(values []abValue, f *abFigure) abValue {
	for i := range values {
		if values[i].same(f) && values[i].of > 0 || values[i].same(f) && values[i].Lacking != "" {
			return values[i]
		}
	}

	return abValue{abFigure: abFigure{Lacking: "there is no such step or figure"}}
}

const mostOfLine = 300

const endWithin = 10 * time.Second

// program is a program with its arguments.
type program []string

// String formats the command as typed, without passwords.
func (c program) String() string {
	words := make([]string, len(c))
	for i, word := range c {
		word = netutil.Redact(word)
		words[i] = word
		if word == "" || strings.ContainsAny(word, " \t\n'\"\\$&|;<>()*?[]#~") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}

	return strings.Join(words, " ")
}

// runsK6 reports whether the command is k6 run, such as env A=b bin/k6 run script.js.
func (c program) runsK6() bool {
	at := slices.IndexFunc(c, func(word string) bool { return strings.HasPrefix(filepath.Base(word), "k6") })

	return at >= 0 && slices.Contains(c[at+1:], "run")
}

// run runs the command in a new process and returns its figures. failed is set if the command wrote
// reports but failed its own thresholds or gates.
func (c program) run(ctx context.Context, dir string) (values []abValue, failed *exited, err error) {
	elapsed, state, err := c.execute(ctx, dir)
	if err != nil && (!errors.As(err, &failed) || !failed.byThresholds()) {
		return nil, nil, err
	}
	reports, unread := reportsIn(dir)
	switch {
	case unread != nil:
		return nil, nil, unread
	case len(reports) == 0 && err != nil:
		return nil, nil, err
	case len(reports) == 0:
		return processValues(elapsed, state.UserTime()+state.SystemTime()), nil, nil
	}
	for _, r := range reports {
		values = append(values, reportValues(r, len(reports) > 1, failed != nil)...)
	}

	return values, failed, nil
}

// execute runs the command in a new process. Its reports and output go to dir.
func (c program) execute(ctx context.Context, dir string) (elapsed time.Duration, state *os.ProcessState, err error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return 0, nil, err
	}
	out, err := os.Create(filepath.Join(dir, "stdout"))
	if err != nil {
		return 0, nil, err
	}
	defer out.Close() //nolint:errcheck // it is for people who look for more
	var problems bytes.Buffer

	process := exec.CommandContext(ctx, c[0], c[1:]...)
	process.Env = append(os.Environ(), "SWEEP_RESULTS="+dir)
	process.Stdout, process.Stderr = out, &problems
	process.Cancel = func() error { return nil } // Ctrl-C at a terminal interrupts it as well
	process.WaitDelay = endWithin
	began := time.Now()
	err = process.Run()
	elapsed = time.Since(began)
	_ = os.WriteFile(filepath.Join(dir, "stderr"), problems.Bytes(), 0o600)
	if ctx.Err() != nil {
		return 0, nil, ctx.Err()
	}
	if err != nil {
		return elapsed, process.ProcessState, newExited(err, problems.String())
	}

	return elapsed, process.ProcessState, nil
}

// exited is the error of a failed command, with the last line of its standard error.
type exited struct {
	code int // -1 if killed
	text string
}

func (e *exited) Error() string { return e.text }

// byThresholds reports whether k6 finished its measurement and failed by thresholds, gates or
// operations.
func (e *exited) byThresholds() bool {
	return e.code == stats.Crossed.ExitCode() || e.code == stats.Undecided.ExitCode()
}

func newExited(err error, problems string) error {
	lines := strings.Split(strings.TrimSpace(problems), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) {
		return err
	}
	e := &exited{code: exit.ExitCode(), text: exit.Error()}
	if e.code >= 0 {
		e.text = "exit code " + strconv.Itoa(e.code)
	}
	if runes := []rune(last); len(runes) > mostOfLine {
		last = string(runes[:mostOfLine]) + "..."
	}
	if last != "" {
		e.text += ": " + last
	}

	return e
}

func reportsIn(dir string) ([]*report.Report, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var reports []*report.Report
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		r, err := report.Read(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		reports = append(reports, r)
	}

	return reports, nil
}
