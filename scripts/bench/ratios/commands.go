package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// spending is what a process has used.
type spending struct {
	cpu      time.Duration
	memoryMB float64
}

// command is that of a program, on the cores that it is pinned to.
func command(program string, args ...string) *exec.Cmd {
	if cores := os.Getenv(coresVariable); cores != "" {
		return exec.Command("taskset", append([]string{"--cpu-list", cores, program}, args...)...)
	}

	return exec.Command(program, args...)
}

// output runs a program, and returns what it printed and spent.
func output(cmd *exec.Cmd) ([]byte, spending, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, spending{}, fmt.Errorf("%w\n%s%s", err, out, stderr.Bytes())
	}

	return out, spent(cmd), nil
}

// spent is what a process that has ended has used.
func spent(cmd *exec.Cmd) spending {
	s := spending{cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.memoryMB = float64(usage.Maxrss) / 1024
	}

	return s
}

// beyondStart runs a program that does so many operations of each client twice: with one of each
// it shows what it takes to begin and connect, which is no operation's. It returns what the second
// run printed and, of each operation, its processor time in microseconds.
func beyondStart(clients, perClient int, run func(perClient int) ([]byte, spending, error)) ([]byte, float64, spending, error) {
	_, start, err := run(1)
	if err != nil {
		return nil, 0, spending{}, err
	}
	out, all, err := run(perClient + 1)
	if err != nil {
		return nil, 0, spending{}, err
	}

	return out, max(float64((all.cpu-start.cpu).Nanoseconds())/1e3/float64(clients*perClient), 0), all, nil
}
