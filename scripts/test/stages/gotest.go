package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// Variables that control a stage's go tests.
const (
	recordVariable = "STAGES_RECORD" // file to which outcomes are appended
	againVariable  = "STAGES_AGAIN"  // record of an earlier run: only its failures run again
)

type outcome struct {
	Command string
	Package string
	Test    string
	Seconds float64
	Passed  bool
	Final   bool
	Why     string
}

func (o *outcome) name() string {
	if o.Test != "" {
		return o.Test
	}

	return strings.TrimPrefix(o.Package, "github.com/xk6-sweep/xk6-sweep/")
}

func goTest(args []string) int {
	split := slices.Index(args, "--")
	if split < 0 {
		fmt.Fprintln(os.Stderr, "stages go: put -- between the flags and the packages")

		return 2
	}
	flags, packages := args[:split], args[split+1:]
	t := &tester{command: strings.Join(args, " "), out: os.Stdout}
	if record := os.Getenv(recordVariable); record != "" {
		file, err := os.OpenFile(record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			fmt.Fprintln(os.Stderr, "stages go:", err)

			return 2
		}
		defer file.Close() //nolint:errcheck // the summary shows missing outcomes
		t.record = json.NewEncoder(file)
	}
	if again := os.Getenv(againVariable); again != "" {
		earlier, err := readRecord(again)
		if err != nil {
			fmt.Fprintln(os.Stderr, "stages go:", err)

			return 2
		}
		for _, run := range failedOnly(earlier, t.command) {
			t.run(slices.Concat(flags, run.flags), []string{run.pkg})
		}
	} else {
		t.run(flags, packages)
	}

	switch {
	case t.err != nil:
		fmt.Fprintln(os.Stderr, "stages go:", t.err)

		return 2
	case t.record == nil && slices.ContainsFunc(t.outcomes, func(o outcome) bool { return !o.Passed }):
		return 1
	}

	return 0
}

type rerun struct {
	pkg   string
	flags []string
}

// failedOnly returns the failures of a command. A package that ended abnormally runs completely,
// because some of its tests may not have run.
func failedOnly(earlier []outcome, command string) (runs []rerun) {
	tests := map[string][]string{}
	var order []string
	for _, o := range earlier {
		if o.Passed || o.Command != command {
			continue
		}
		if tests[o.Package] == nil {
			order = append(order, o.Package)
		}
		tests[o.Package] = append(tests[o.Package], o.Test)
	}
	for _, pkg := range order {
		run := rerun{pkg: pkg}
		if !slices.Contains(tests[pkg], "") {
			run.flags = []string{"-run", "^(" + strings.Join(tests[pkg], "|") + ")$"}
		}
		runs = append(runs, run)
	}

	return runs
}

type tester struct {
	command  string
	out      io.Writer
	record   *json.Encoder
	err      error // error of writing the record
	outcomes []outcome
	packages map[string]*packageRun
}

type packageRun struct {
	output []string
	tests  map[string]*testRun
	race   bool
}

type testRun struct {
	output []string
	ended  bool
}

type event struct {
	Action, Package, Test, Output, FailedBuild string
	Elapsed                                    float64
}

func (t *tester) run(flags, packages []string) {
	t.packages = map[string]*packageRun{}
	before := len(t.outcomes)
	// -count=1: Go would return a cached result even if a server or program under test has changed.
	cmd := exec.Command("go", slices.Concat([]string{"test"}, flags, []string{"-json", "-count=1"}, packages)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		lines := bufio.NewReader(out)
		for {
			line, readErr := lines.ReadString('\n')
			t.line(line)
			if readErr != nil {
				break
			}
		}
		err = cmd.Wait()
	}
	var exit *exec.ExitError
	switch {
	case err == nil && len(t.outcomes) == before:
		t.add(outcome{Why: "go test ran nothing", Final: true})
	case err != nil && !errors.As(err, &exit),
		err != nil && !slices.ContainsFunc(t.outcomes[before:], func(o outcome) bool { return !o.Passed }):
		t.add(outcome{Why: "go test: " + err.Error(), Final: true})
	}
}

func (t *tester) add(o outcome) {
	o.Command = t.command
	t.outcomes = append(t.outcomes, o)
	if t.record != nil {
		t.err = errors.Join(t.err, t.record.Encode(o))
	}
}

func (t *tester) line(line string) {
	var e event
	if json.Unmarshal([]byte(line), &e) != nil {
		fmt.Fprint(t.out, line)

		return
	}
	if e.Action == "build-output" {
		fmt.Fprint(t.out, e.Output)

		return
	}
	if e.Package == "" {
		return
	}
	p := t.packages[e.Package]
	if p == nil {
		p = &packageRun{tests: map[string]*testRun{}}
		t.packages[e.Package] = p
	}
	top, sub, _ := strings.Cut(e.Test, "/")
	test := p.tests[top]
	if test == nil && top != "" {
		test = &testRun{}
		p.tests[top] = test
	}
	switch {
	case e.Action == "output":
		p.race = p.race || strings.Contains(e.Output, "DATA RACE")
		if test != nil {
			test.output = append(test.output, e.Output)
		} else {
			p.output = append(p.output, e.Output)
		}
	case !slices.Contains([]string{"pass", "fail", "skip"}, e.Action) || sub != "":
	case test != nil:
		test.ended = true
		t.endTest(e, test)
	default:
		t.endPackage(e, p)
	}
}

func (t *tester) endTest(e event, test *testRun) {
	o := outcome{Package: e.Package, Test: e.Test, Seconds: e.Elapsed, Passed: e.Action != "fail"}
	if !o.Passed {
		o.Why = reason(test.output)
		t.show(test.output)
	}
	test.output = nil
	t.add(o)
}

func (t *tester) endPackage(e event, p *packageRun) {
	o := outcome{Package: e.Package, Passed: true}
	failedTest := ""
	for i := range t.outcomes {
		if each := &t.outcomes[i]; each.Package == e.Package && !each.Passed {
			failedTest = each.Why
		}
	}
	all := slices.Clone(p.output)
	if e.Action == "fail" {
		for name, test := range p.tests {
			if !test.ended {
				o.Passed, o.Why = false, name+" did not end"
				t.show(test.output)
				all = append(all, test.output...)
			}
		}
		told := strings.Join(all, "")
		switch {
		case e.FailedBuild != "" || strings.Contains(told, "[build failed]") || strings.Contains(told, "[setup failed]"):
			o.Passed, o.Final, o.Why = false, true, "it does not build"
		case p.race:
			o.Passed, o.Final, o.Why = false, true, "DATA RACE"
		case strings.Contains(told, "panic: test timed out after"):
			o.Passed, o.Final, o.Why = false, true, strings.TrimSpace(o.Why+": test timed out")
		case !slices.Contains(p.output, "FAIL\n") || failedTest == "": // the test process ended abnormally
			o.Passed, o.Why = false, cmp.Or(failedTest, reason(all))
		}
	}
	t.show(p.output)
	t.add(o)
	delete(t.packages, e.Package)
}

var chatter = regexp.MustCompile(`^\s*(=== (RUN|PAUSE|CONT|NAME|ATTR) .*|PASS|FAIL)?\n?$`)

func (t *tester) show(output []string) {
	for _, line := range output {
		if !chatter.MatchString(line) {
			fmt.Fprint(t.out, line)
		}
	}
}

var (
	died    = regexp.MustCompile(`^servers\.sh: \S+ had died`)
	telling = regexp.MustCompile(`^(?:\s*Error:\s+|(panic: |fatal error: ))(.*)`)
	silent  = regexp.MustCompile(`^\s*(--- |FAIL\t|make: \*\*\*|Error Trace:|Test:|Messages:)`)
)

func reason(output []string) string {
	if i := slices.IndexFunc(output, died.MatchString); i >= 0 {
		return shortened(output[i])
	}
	last := "it said nothing"
	for i, line := range output {
		if m := telling.FindStringSubmatch(line); m != nil {
			text := strings.TrimSpace(m[1] + m[2])
			for _, more := range output[i+1 : min(i+3, len(output))] {
				if !strings.HasSuffix(text, ":") && !strings.HasPrefix(text, "Not equal:") || silent.MatchString(more) {
					break
				}
				text += " " + strings.TrimSpace(more)
			}

			return shortened(text)
		}
		if !chatter.MatchString(line) && !silent.MatchString(line) {
			last = line
		}
	}

	return shortened(last)
}

func shortened(line string) string {
	const most = 200
	if runes := []rune(strings.TrimSpace(line)); len(runes) > most {
		return string(runes[:most]) + "…"
	}

	return strings.TrimSpace(line)
}

// readRecord returns no outcomes if the file is missing: a stage need not run go test.
func readRecord(path string) (outcomes []outcome, err error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	for lines := json.NewDecoder(file); ; {
		var o outcome
		switch err := lines.Decode(&o); {
		case errors.Is(err, io.EOF):
			return outcomes, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		outcomes = append(outcomes, o)
	}
}
