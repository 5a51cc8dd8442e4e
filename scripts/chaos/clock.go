package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	readClock = "sec, nsec, mono := runtimeNow()\n\tif mono == 0 {"
	stepClock = "sec, nsec, mono := runtimeNow()\n\tsec += chaosStep(mono)\n\tif mono == 0 {"
)

const clockStep = `package time

import "syscall"

var chaosSeconds = func() int64 {
	text, _ := syscall.Getenv("CHAOS_CLOCK")
	d, err := ParseDuration(text)
	if err != nil {
		return 0
	}
	return int64(d / Second)
}()

func chaosStep(mono int64) int64 {
	if mono-startNano < int64(2*Second) {
		return 0
	}
	return chaosSeconds
}
`

// writeClock writes an overlay for go build: Go's time package with a wall clock that is stepped by
// CHAOS_CLOCK, two seconds after the start. The monotonic clock does not change, as when a system's
// clock is set.
//
// Alternatives fail: Go reads the clock without libc (faketime), Linux time namespaces have no wall
// clock, and setting the machine's clock affects other programs.
func writeClock(folder string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	original, err := os.ReadFile(filepath.Join(source, "time.go"))
	if err != nil {
		return err
	}
	if strings.Count(string(original), readClock) != 1 {
		return errors.New("this Go reads the clock in another way than the one that is known here: see Now in its package time")
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(source, "time.go"):       filepath.Join(folder, "time.go"),
		filepath.Join(source, "chaos_step.go"): filepath.Join(folder, "chaos_step.go"),
	}})
	if err != nil {
		return err
	}

	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"time.go": strings.Replace(string(original), readClock, stepClock, 1), "chaos_step.go": clockStep, "overlay.json": string(overlay),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}

	return nil
}
