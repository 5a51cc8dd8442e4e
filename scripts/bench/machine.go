package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func machine() string {
	raw, _ := os.ReadFile("/proc/cpuinfo")
	cores := max(strings.Count("\n"+string(raw), "\nprocessor\t"), runtime.NumCPU()) // with taskset, NumCPU is less than the machine has
	facts := []string{fmt.Sprintf("%d cores of %s", cores, orElse(field("/proc/cpuinfo", `model name\s*: (.+)`), runtime.GOARCH))}
	if kB, err := strconv.ParseFloat(field("/proc/meminfo", `MemTotal:\s+(\d+) kB`), 64); err == nil {
		facts = append(facts, fmt.Sprintf("%.0f GB", kB/(1<<20)))
	}

	return strings.Join(append(facts, orElse(field("/etc/os-release", `PRETTY_NAME="([^"]+)"`), runtime.GOOS)), ", ")
}

func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--abbrev=7", "--dirty=+").Output()
	if err != nil {
		return "unknown"
	}

	return strings.TrimSpace(string(out))
}

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

func versionsOf(works []*work) (all []string, err error) {
	out, err := exec.Command(k6, "version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s version: %w", k6, err)
	}
	all = []string{"k6 " + regexp.MustCompile(`v[0-9][^ \n]*`).FindString(string(out)), runtime.Version()}
	for _, w := range works {
		names := []string{w.address}
		for _, p := range w.programs {
			names = append(names, p.needs)
		}
		for _, name := range names {
			version, err := versionOf(name)
			if err != nil {
				return nil, fmt.Errorf("the version of %s: %w", name, err)
			}
			if version != "" && !slices.Contains(all, version) {
				all = append(all, version)
			}
		}
	}

	return all, nil
}

func versionOf(name string) (string, error) {
	switch name {
	case "MACHBASE_URL":
		return pinned("machbase-neo", "machbase-neo/go.mod", `github\.com/machbase/neo-server/v8 (v\S+)`)
	case ghz:
		return pinned("ghz", "go.mod", `github\.com/bojand/ghz (v\S+)`)
	case natsCLI:
		return pinned("natscli", "go.mod", `github\.com/nats-io/natscli (v\S+)`)
	case "MEMCACHED_URL":
		return asked("memcached", name, "version\r\n", `VERSION (\S+)`)
	case "REDIS_URL":
		return asked("redis", name, "INFO server\r\n", `redis_version:(\S+)`)
	case "NATS_URL":
		return asked("nats-server", name, "", `"version":"([^"]+)"`)
	case memtier, redisBenchmark, pgbench:
		return installed(name)
	case stockgo:
		if _, err := exec.LookPath(stockgo); err != nil {
			return "no " + stockgo, nil //nolint:nilerr // a missing program is a valid answer
		}

		return "stockgo of machbase/neo-tester", nil
	default: // k6's own build, the gateway's emulator, no server
		return "", nil
	}
}

func installed(program string) (string, error) {
	if _, err := exec.LookPath(program); err != nil {
		return "no " + program, nil //nolint:nilerr // a missing program is a valid answer
	}
	out, err := exec.Command(program, "--version").Output()
	if err != nil {
		return "", err
	}
	words := strings.Fields(string(out))

	return strings.Join(words[:min(len(words), 3)], " "), nil
}

func pinned(tool, file, pattern string) (string, error) {
	file = "scripts/tools/" + file
	version := field(file, `.*`+pattern)
	if version == "" {
		return "", fmt.Errorf("%s does not have it", file)
	}

	return tool + " " + version, nil
}

func asked(server, variable, question, pattern string) (string, error) {
	const patience = 5 * time.Second
	host, port, err := place(variable)
	if err != nil {
		return "", err
	}
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(host, port), patience)
	if err != nil {
		return "", err
	}
	defer conn.Close() //nolint:errcheck // only read
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	if _, err := conn.Write([]byte(question)); err != nil {
		return "", err
	}
	answer := regexp.MustCompile(pattern)
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		if found := answer.FindStringSubmatch(lines.Text()); found != nil {
			return server + " " + found[1], nil
		}
	}

	return "", fmt.Errorf("%s does not tell it", variable)
}

func withoutScheme(address string) string {
	first, _, _ := strings.Cut(address, ",")
	if _, rest, found := strings.Cut(first, "://"); found {
		first = rest
	}
	if at := strings.LastIndex(first, "@"); at >= 0 {
		first = first[at+1:]
	}
	first, _, _ = strings.Cut(first, "/")

	return first
}
