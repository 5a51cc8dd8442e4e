package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	keptOutput = 64 << 10
	keptReason = 200
)

type client struct {
	name    string
	command string
	about   string // versions and build, for the report
}

// outcome of a client: a result, a problem, or both.
type outcome struct {
	Name     string   `json:"name"`
	About    string   `json:"about,omitempty"`
	Command  string   `json:"command"`
	Backend  string   `json:"backend,omitempty"` // from a line "backend: ..." in the client's stderr
	ExitCode int      `json:"exitCode"`          // -1: killed, or never started
	Seconds  float64  `json:"seconds"`           // from start to end
	Result   *result  `json:"result,omitempty"`  // the result as the client printed it
	Problem  string   `json:"problem,omitempty"`
	Stderr   []string `json:"stderr,omitempty"` // last lines of stderr, if there is a problem
}

type ending struct {
	stop     <-chan struct{} // closed: interrupt the clients
	kill     <-chan struct{} // closed: kill the clients
	patience time.Duration   // time between interrupt and kill
}

func runAll(s settings, e ending) []outcome {
	outcomes := make([]outcome, len(s.clients))
	var all sync.WaitGroup
	for i, c := range s.clients {
		all.Go(func() {
			outcomes[i] = c.run(s, e)
			say("%s has ended after %.1f s", c.name, outcomes[i].Seconds)
		})
	}
	all.Wait()

	return outcomes
}

func (c client) run(s settings, e ending) outcome {
	stdout, stderr := newTail(keptOutput), newTail(keptOutput)
	cmd := exec.Command("/bin/sh", "-c", c.command)
	cmd.Env = append(os.Environ(), s.environment()...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a separate group, which is killed when the client ends
	cmd.WaitDelay = e.patience                            // limits the wait for output of processes that it leaves behind

	o := outcome{Name: c.name, About: c.about, Command: c.command, ExitCode: -1}
	begun := time.Now()
	why, err := supervise(cmd, s.timeout(), e)
	o.Seconds = time.Since(begun).Seconds()
	if cmd.ProcessState != nil {
		o.ExitCode = cmd.ProcessState.ExitCode()
	}

	hide := hider(s.key)
	lines := strings.Split(strings.TrimSpace(stderr.text(hide)), "\n")
	o.Backend = backendIn(stderr.text(hide))
	r, wrong := lastResult(stdout.text(hide))
	if wrong == nil {
		wrong = r.check(s.bulk)
	}
	if wrong == nil {
		o.Result = &r
	}

	switch {
	case why != "":
		o.Problem = why
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		o.Problem = failure(err, lines)
	case wrong != nil:
		o.Problem = wrong.Error()
	default:
		o.Problem = r.doubt(s)
	}
	if o.Problem != "" {
		o.Stderr = lastLines(lines)
	}

	return o
}

func supervise(cmd *exec.Cmd, timeout time.Duration, e ending) (why string, err error) {
	if err := cmd.Start(); err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	group := -cmd.Process.Pid
	// Kills the remaining processes of the group. An error means that all have ended.
	defer func() { _ = syscall.Kill(group, syscall.SIGKILL) }()

	alarm := time.NewTimer(timeout)
	defer alarm.Stop()
	ask := syscall.SIGTERM
	select {
	case err := <-ended:
		return "", err
	case <-alarm.C:
		why = fmt.Sprintf("did not end within %s: stopped", timeout)
	case <-e.stop:
		why, ask = "interrupted", syscall.SIGINT
	}

	_ = syscall.Kill(group, ask)
	late := time.NewTimer(e.patience)
	defer late.Stop()
	select {
	case err := <-ended:
		return why, err
	case <-late.C:
		why += ", and killed, as that did not help"
	case <-e.kill:
		why += ", and killed"
	}
	_ = syscall.Kill(group, syscall.SIGKILL)

	return why, <-ended
}

// backendLine matches a line "backend: NAME", also as the message of a k6 log line (time="..."
// level=info msg="...").
var backendLine = regexp.MustCompile(`(?m)^(?:backend: (.{1,200})|time=\S+ level=info msg=("backend: (?:[^"\\]|\\.){1,200}").*)$`)

func backendIn(stderr string) string {
	found := backendLine.FindStringSubmatch(stderr)
	if found == nil {
		return ""
	}
	if message, err := strconv.Unquote(found[2]); err == nil {
		return clean(strings.TrimPrefix(message, "backend: "))
	}

	return clean(found[1])
}

func failure(err error, stderr []string) string {
	exit, hasExited := errors.AsType[*exec.ExitError](err)
	if !hasExited {
		return "cannot start: " + err.Error()
	}
	text := exit.String()
	if last := clean(stderr[len(stderr)-1]); last != "" {
		text += ": " + last
	}

	return text
}

func hider(key string) func(string) string {
	const hidden, shortest = "***", 12 // a shorter secret could be an ordinary word
	pairs := []string{key, hidden}
	if parts := strings.SplitN(key, "_", 3); len(parts) == 3 && len(parts[2]) >= shortest {
		pairs = append(pairs, parts[2], hidden)
	}

	return strings.NewReplacer(pairs...).Replace
}

func clean(line string) string {
	line = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(line, "?"))
	line = strings.TrimSpace(line)
	if runes := []rune(line); len(runes) > keptReason {
		line = string(runes[:keptReason]) + "..."
	}

	return line
}

func lastLines(lines []string) []string {
	const kept = 20
	var last []string
	for _, line := range lines[max(0, len(lines)-kept):] {
		if line = clean(line); line != "" {
			last = append(last, line)
		}
	}

	return last
}
