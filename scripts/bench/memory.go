package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"syscall"
)

func measureMemory() (map[string]float64, error) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
	defer server.Close()
	results, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(results) //nolint:errcheck // a temporary folder
	plain := []string{"run", "--quiet", "--no-color", "--vus=1000", "--duration=10s", "-e", "URL=" + server.URL, "scripts/bench/http.js"}
	cases := map[string][]string{
		"`cache-sweep` with 5,000 clients": {
			"run", "--quiet", "--no-color", "-e", "TARGET=memcached", "-e", "CLIENTS=5000", "-e", "DURATION=10s", "-e", "RESULTS=" + results, "scenarios/cache-sweep.js",
		},
		"an HTTP script with 1,000 VUs":        plain,
		"the same, with the output `-o sweep`": append([]string{"run", "-o", "sweep=" + results}, plain[1:]...),
	}
	megabytes := map[string]float64{}
	for name, args := range cases {
		cmd := command(k6, args...)
		if _, _, err := output(cmd); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if used, is := cmd.ProcessState.SysUsage().(*syscall.Rusage); is {
			megabytes[name] = float64(used.Maxrss) / 1024
		}
	}

	return megabytes, nil
}

func (r *run) memoryTable() string {
	var text strings.Builder
	text.WriteString("## Memory\n\n| k6 | largest resident memory |\n|---|--:|\n")
	for _, name := range slices.Sorted(maps.Keys(r.Memory)) {
		fmt.Fprintf(&text, "| %s | %.0f MB |\n", name, r.Memory[name])
	}

	return text.String()
}
