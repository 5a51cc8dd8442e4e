package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// captionNow says how a part of the page was measured: command, date, machine and versions.
func captionNow(command string, servers []string) (string, error) {
	told, err := exec.Command(k6, "version").Output()
	if err != nil {
		return "", fmt.Errorf("bin/k6 version: %w", err)
	}
	facts := []string{machine(), runtime.Version(), "k6 " + regexp.MustCompile(`v[0-9][^ \n]*`).FindString(string(told))}
	for _, server := range servers {
		version, err := versionOf(server)
		if err != nil {
			return "", fmt.Errorf("the version of %s: %w", server, err)
		}
		facts = append(facts, version)
	}

	return caption(command, time.Now().UTC(), strings.Join(facts, ", ")), nil
}

// caption says how the rounds of a part were measured.
func (l *ledger) caption() string {
	days := l.first.Format(time.DateOnly)
	if last := l.last.Format(time.DateOnly); last != days {
		days += " to " + last
	}
	facts := fmt.Sprintf("%s, %s, commit %s", l.stamp.Machine, runtime.Version(), l.stamp.Commit)
	if len(l.stamp.Servers) > 0 {
		facts += ",\n" + strings.Join(l.stamp.Servers, ", ")
	}

	return fmt.Sprintf("*`make bench`, %s, steps of about %g s.\n%s.*", days, l.stamp.Seconds, facts)
}

func caption(command string, at time.Time, facts string) string {
	return fmt.Sprintf("*`%s`, %s.\n%s.*", command, at.Format(time.DateOnly), facts)
}

// machine is the host's processor, memory and system, as far as it tells.
func machine() string {
	cpu := orElse(field("/proc/cpuinfo", `model name\s*: (.+)`), runtime.GOARCH)
	facts := []string{fmt.Sprintf("%d cores of %s", runtime.NumCPU(), cpu)}
	if kB, err := strconv.ParseFloat(field("/proc/meminfo", `MemTotal:\s+(\d+) kB`), 64); err == nil {
		facts = append(facts, fmt.Sprintf("%.0f GB", kB/(1<<20)))
	}

	return strings.Join(append(facts, orElse(field("/etc/os-release", `PRETTY_NAME="([^"]+)"`), runtime.GOOS)), ", ")
}

// field is the first group of a pattern in a file; empty where it is not there.
func field(file, pattern string) string {
	raw, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	found := regexp.MustCompile(`(?m)^` + pattern).FindSubmatch(raw)
	if found == nil {
		return ""
	}

	return string(found[1])
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}

	return text
}
