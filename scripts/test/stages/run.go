package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	atATime   = 3
	mostFlaky = 5
	slowest   = 10
)

type runner struct {
	folder string
	logs   string
	out    io.Writer
	mu     sync.Mutex // guards out
}

type stageRun struct {
	stage              string
	log, record        string
	seconds, processor time.Duration
	err                error // error of the stage itself; nil if only go tests failed
	outcomes           []outcome
}

type failure struct {
	stage, pkg, test string
	name, why        string
	final            bool
}

func runStages(args []string) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	ended := make(chan int, 1)
	go func() {
		folder, err := os.Getwd()
		if err != nil {
			fmt.Fprintln(os.Stderr, "stages:", err)
			ended <- 2

			return
		}
		r := &runner{folder: folder, logs: filepath.Join(folder, "results", "test"), out: os.Stdout}
		ended <- r.run(ctx, args)
	}()
	select {
	case code := <-ended:
		return code
	case s := <-signals:
		cancel()
		<-ended
		number, _ := s.(syscall.Signal)

		return 128 + int(number)
	}
}

func (r *runner) run(ctx context.Context, args []string) int {
	begun := time.Now()
	if err := cmp.Or(os.RemoveAll(r.logs), os.MkdirAll(r.logs, 0o750)); err != nil {
		fmt.Fprintln(r.out, "stages:", err)

		return 2
	}
	together, alone := args, []string(nil)
	if i := slices.Index(args, "--"); i >= 0 {
		together, alone = args[:i], args[i+1:]
	}
	runs := append(r.each(ctx, atATime, together), r.each(ctx, 1, alone)...)
	var failed []failure
	for _, run := range runs {
		failed = append(failed, run.failures()...)
	}
	red, flaky := failed, []failure(nil)
	switch {
	case slices.ContainsFunc(failed, func(f failure) bool { return f.final }):
	case len(failed) > mostFlaky:
		r.say("%d failures are more than %d: none runs again", len(failed), mostFlaky)
	case len(failed) > 0 && ctx.Err() == nil:
		again := r.again(ctx, runs)
		red, flaky = judge(failed, again)
		runs = append(runs, again...)
	}
	if ctx.Err() != nil {
		return 1
	}

	return r.summary(runs, red, flaky, time.Since(begun))
}

func (r *runner) each(ctx context.Context, limit int, stages []string) []*stageRun {
	runs := make([]*stageRun, len(stages))
	slots := make(chan struct{}, limit)
	var all sync.WaitGroup
	for i, stage := range stages {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			runs[i] = r.stage(ctx, stage, stage, "")
		})
	}
	all.Wait()

	return runs
}

func (r *runner) again(ctx context.Context, runs []*stageRun) (again []*stageRun) {
	for _, run := range runs {
		if len(run.failures()) == 0 {
			continue
		}
		earlier := run.record
		if run.err != nil {
			earlier = ""
		}
		again = append(again, r.stage(ctx, run.stage, run.stage+".again", earlier))
	}

	return again
}

func (r *runner) stage(ctx context.Context, stage, name, earlier string) *stageRun {
	run := &stageRun{stage: stage, log: filepath.Join(r.logs, name+".log"), record: filepath.Join(r.logs, name+".json")}
	if ctx.Err() != nil {
		run.err = ctx.Err()

		return run
	}
	r.say("%s begins", name)
	begun := time.Now()
	log, err := os.Create(run.log)
	if err != nil {
		run.err = err

		return run
	}
	defer log.Close() //nolint:errcheck // written line by line
	cmd := exec.CommandContext(ctx, "make", "--no-print-directory", "test-"+stage)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.folder, log, log
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")

		return slices.Contains([]string{"MAKEFLAGS", "MFLAGS", "MAKELEVEL", recordVariable, againVariable}, name)
	})
	cmd.Env = append(cmd.Env, "CLICOLOR=0", recordVariable+"="+run.record)
	if earlier != "" {
		cmd.Env = append(cmd.Env, againVariable+"="+earlier)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	run.err = cmd.Run()
	run.seconds = time.Since(begun)
	if cmd.ProcessState != nil {
		run.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	outcomes, err := readRecord(run.record)
	run.outcomes, run.err = outcomes, cmp.Or(run.err, err)
	if failed := run.failures(); len(failed) == 0 {
		r.say("%s has passed", name)
	} else {
		for _, f := range failed {
			r.say("%s: %s failed: %s", name, f.name, f.why)
		}
	}

	return run
}

func (r *runner) say(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.out, time.Now().Format(time.TimeOnly)+" "+format+"\n", args...)
}

func (s *stageRun) failures() (failed []failure) {
	for _, o := range s.outcomes {
		if o.Passed || o.Test != "" && slices.ContainsFunc(s.outcomes, func(p outcome) bool {
			return !p.Passed && p.Test == "" && p.Package == o.Package && p.Command == o.Command
		}) {
			continue
		}
		name := cmp.Or(o.name(), s.stage)
		failed = append(failed, failure{stage: s.stage, pkg: o.Package, test: o.Test, name: name, why: o.Why, final: o.Final})
	}
	if s.err == nil {
		return failed
	}
	raw, _ := os.ReadFile(s.log)
	whole := failure{
		stage: s.stage, name: s.stage, why: fmt.Sprintf("%v: %s", s.err, reason(slices.Collect(strings.Lines(string(raw))))),
		final: bytes.Contains(raw, []byte("DATA RACE")) || slices.ContainsFunc(failed, func(f failure) bool { return f.final }),
	}

	return []failure{whole}
}

// judge separates tests that failed twice, or did not run again, from flaky ones.
func judge(failed []failure, again []*stageRun) (red, flaky []failure) {
	for _, f := range failed {
		i := slices.IndexFunc(again, func(run *stageRun) bool { return run.stage == f.stage })
		if i >= 0 && again[i].passed(f) {
			flaky = append(flaky, f)
		} else {
			red = append(red, f)
		}
	}
	for _, run := range again {
		for _, f := range run.failures() {
			if !slices.ContainsFunc(red, func(r failure) bool { return r.stage == f.stage && r.pkg == f.pkg && r.test == f.test }) {
				red = append(red, f)
			}
		}
	}

	return red, flaky
}

func (s *stageRun) passed(f failure) bool {
	if f.pkg == "" {
		return len(s.failures()) == 0
	}
	ran := false
	for _, o := range s.outcomes {
		if o.Package == f.pkg && (o.Test == f.test || f.test == "") {
			ran = true
			if !o.Passed {
				return false
			}
		}
	}

	return ran && s.err == nil
}

// summary prints the durations of stages, the slowest tests and the failures, and returns the exit
// code.
func (r *runner) summary(runs []*stageRun, red, flaky []failure, took time.Duration) int {
	for _, run := range runs {
		if slices.ContainsFunc(red, func(f failure) bool { return f.stage == run.stage }) && len(run.failures()) > 0 {
			raw, _ := os.ReadFile(run.log)
			fmt.Fprintf(r.out, "\n%s printed:\n%s", filepath.Base(run.log), raw)
		}
	}
	var times strings.Builder
	fmt.Fprintf(&times, "%-20s %8s %18s\n", "stage", "seconds", "processor seconds")
	for _, run := range runs {
		name := strings.TrimSuffix(filepath.Base(run.log), ".log")
		fmt.Fprintf(&times, "%-20s %8.0f %18.0f\n", name, run.seconds.Seconds(), run.processor.Seconds())
	}
	fmt.Fprintf(&times, "%-20s %8.0f\n", "all of them", took.Seconds())
	tests, passed := slowestTests(runs)
	for _, o := range tests {
		fmt.Fprintf(&times, "%8.1f s %s (%s)\n", o.Seconds, o.Test, strings.TrimPrefix(o.Package, "github.com/xk6-sweep/xk6-sweep/"))
	}
	var lines strings.Builder
	for _, f := range flaky {
		fmt.Fprintf(&lines, "FLAKY %s: %s\n", f.name, f.why)
	}
	r.write("took.txt", times.String())
	r.write("flaky.txt", lines.String())
	fmt.Fprintf(r.out, "\n%s%s", times.String(), lines.String())
	for _, f := range red {
		fmt.Fprintf(r.out, "FAILED %s (%s): %s\n", f.name, f.stage, f.why)
	}
	if len(red) > 0 {
		fmt.Fprintln(r.out, "The logs are in results/test")
	}
	fmt.Fprintf(r.out, "%d passed, %d failed\n", passed, len(red))

	return min(len(red), 1)
}

func (r *runner) write(name, text string) {
	if err := os.WriteFile(filepath.Join(r.logs, name), []byte(text), 0o600); err != nil {
		r.say("%v", err)
	}
}

func slowestTests(runs []*stageRun) (tests []outcome, passed int) {
	for _, run := range runs {
		before := len(tests)
		for _, o := range run.outcomes {
			if o.Test != "" {
				tests = append(tests, o)
				if o.Passed {
					passed++
				}
			}
		}
		if len(tests) == before && len(run.failures()) == 0 {
			passed++
		}
	}
	slices.SortStableFunc(tests, func(a, b outcome) int { return cmp.Compare(b.Seconds, a.Seconds) })

	return tests[:min(slowest, len(tests))], passed
}
