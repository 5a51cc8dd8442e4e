package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
