package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
)

// distributed runs scripts/distributed.sh with the race detector in its parts.
func distributed(t *testing.T, started func(*os.Process), args ...string) *run {
	t.Helper()

	return distributedBy(t, binary(t, "k6-race"), started, args...)
}

func distributedBy(t *testing.T, k6 string, started func(*os.Process), args ...string) *run {
	t.Helper()
	r := &run{results: t.TempDir()}
	path, err := filepath.Abs(filepath.Join(root, "scripts", "distributed.sh"))
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), "K6="+k6, "SWEEP_RESULTS="+r.results)
	cmd.WaitDelay = time.Second
	output := &watchedOutput{when: measured, then: func() {}}
	cmd.Stdout, cmd.Stderr = output, output
	require.NoError(t, cmd.Start())
	stuck := time.AfterFunc(2*hang, func() { _ = cmd.Process.Kill() })
	if started != nil {
		started(cmd.Process)
	}
	err = cmd.Wait()
	require.True(t, stuck.Stop(), "distributed.sh hangs:\n%s", output)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	r.code, r.output = cmd.ProcessState.ExitCode(), output.String()
	logs, err := filepath.Glob(filepath.Join(r.results, "parts", "*", "k6.log"))
	require.NoError(t, err)
	for _, file := range logs {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(raw), "DATA RACE")
		require.NotContains(t, string(raw), "panic:")
	}

	return r
}

func settings(env map[string]string) (args []string) {
	for name, value := range env {
		args = append(args, "-e", name+"="+value)
	}

	return args
}

func partOf(r *run, number int) *run {
	return &run{results: filepath.Join(r.results, "parts", strconv.Itoa(number)), output: r.output}
}

func histogram(t *testing.T, s step) *hdrhistogram.Histogram {
	t.Helper()
	h, err := hdrhistogram.Decode([]byte(s.Histogram))
	require.NoError(t, err)

	return h
}

func TestDistributedSweepMatchesOneProcess(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"TARGET": "memcached", "MEMCACHED_URL": os.Getenv("MEMCACHED_URL"), "CLIENTS": "1,6,16", "ITERATIONS": "20", "KEYS": "1000",
		"WARMUP": "0s", "PAUSE": "0s",
	}
	one := map[string]string{defaultEnvMachbase: ""}
	maps.Copy(one, env)
	alone := k6(t, options{script: "cache-sweep.js", env: one})
	require.Equal(t, exitOK, alone.code, alone.output)
	all := alone.report(t, "cache-sweep-memcached").Steps

	env["MAX_DURATION"] = "10s"
	r := distributed(t, nil, append([]string{"--parts", "4", "--", script("cache-sweep.js"), "-e", "GATES=../thresholds/cache-sweep.json"},
		settings(env)...)...)
	require.Contains(t, r.output, "4 parts of cache-sweep, 6 steps")
	merged := r.report(t, "cache-sweep-memcached")
	require.Equal(t, true, merged.Params["portable"])
	require.Len(t, merged.Steps, len(all))

	var lacking int
	for i := 0; i < len(all); i += 2 {
		require.Equal(t, all[i].Clients, merged.Steps[i].Clients)
		require.Equal(t, 20*all[i].Clients, all[i].Ops+all[i+1].Ops)
		require.Equal(t, 20*all[i].Clients, merged.Steps[i].Ops+merged.Steps[i+1].Ops)
	}
	for i, s := range merged.Steps {
		require.Equal(t, s.Clients > 1, s.Overlap != nil, "a client is of one part")
		require.Equal(t, s.Overlap == nil || *s.Overlap >= 0.95, s.Complete)
		require.Zero(t, s.Failed)
		var together *hdrhistogram.Histogram
		var slowest float64
		for number := 1; number <= 4; number++ {
			found := false
			for _, part := range partOf(r, number).report(t, "cache-sweep-memcached").Steps {
				if part.Clients != s.Clients || part.Op != s.Op {
					continue
				}
				found = true
				slowest = max(slowest, part.LatencyMs.Max)
				if together == nil {
					together = histogram(t, part)
				} else {
					require.Zero(t, together.Merge(histogram(t, part)))
				}
			}
			if !found {
				lacking++
			}
		}
		require.Equal(t, int64(s.Ops), together.TotalCount(), "step %d", i)
		require.InEpsilon(t, float64(together.ValueAtQuantile(50))/1e6, s.LatencyMs.P50, 0.002)
		require.InEpsilon(t, float64(together.ValueAtQuantile(99))/1e6, s.LatencyMs.P99, 0.002)
		require.InEpsilon(t, slowest, s.LatencyMs.Max, 1e-9)
	}
	require.GreaterOrEqual(t, lacking, 2*3, "one client is in one part")
}

func TestDistributedGates(t *testing.T) {
	t.Parallel()
	gates := filepath.Join(t.TempDir(), "gates.json")
	require.NoError(t, os.WriteFile(gates, []byte(`{"scenario": "cache-sweep", "absolute": [{"op": "get", "opsPerSecond": 1e12}]}`), 0o600))

	r := distributed(t, nil, append([]string{"--parts", "2", "--", script("cache-sweep.js")}, settings(map[string]string{
		"TARGET": "memcached", "MEMCACHED_URL": os.Getenv("MEMCACHED_URL"), "CLIENTS": "4", "ITERATIONS": "20", "KEYS": "100", "WARMUP": "0s",
		"MAX_DURATION": "10s", "GATES": gates,
	})...)...)
	require.Equal(t, exitThreshold, r.code, r.output)
	require.Contains(t, r.output, "CROSSED    ops/s of get in every step >= 1000000000000")
	require.Equal(t, 80, r.report(t, "cache-sweep-memcached").Steps[0].Ops+r.report(t, "cache-sweep-memcached").Steps[1].Ops)
}

func TestDistributedExitCodes(t *testing.T) {
	t.Parallel()
	scenario := script("cache-sweep.js")
	for name, tt := range map[string]struct {
		args []string
		code int
		says string
	}{
		"a part that fails":   {[]string{"--", scenario, "-e", "DURATION=1s", "-e", "VALUE=x"}, exitInvalidConfig, "VALUE must be a size such as"},
		"nobody is there":     {[]string{"--", scenario, "-e", "DURATION=1s", "-e", "CLIENTS=8", "-e", "MEMCACHED_URL=127.0.0.1:1"}, exitInvalidConfig, "no part has written a report"},
		"no script":           {[]string{"--parts", "2"}, 2, "a script is missing"},
		"another script":      {[]string{"--", "other.js"}, 2, "there is no script 'other.js'"},
		"one part":            {[]string{"--parts", "1", "--", scenario}, 2, "--parts takes an integer from 2 to 999, but is '1'"},
		"parts without":       {[]string{"--parts"}, 2, "--parts takes an integer from 2 to 999, but is ''"},
		"an option":           {[]string{"--machines", "2", "--", scenario}, 2, "there is no option '--machines'"},
		"no window":           {[]string{"--", scenario, "-e", "ITERATIONS=5"}, 2, "the steps need windows of time: set -e DURATION=30s, or"},
		"no gates":            {[]string{"--", scenario, "-e", "DURATION=1s", "-e", "GATES=../thresholds/none.json"}, 2, "thresholds/none.json' (GATES, from the script's folder)"},
		"neither":             {[]string{"--", scenario, "-e", "DURATION=1s", "-e", "PORTABLE=1"}, 2, "PORTABLE must be true or false, but is '1'"},
		"a segment":           {[]string{"--", scenario, "--execution-segment", "0:1"}, 2, "--execution-segment is set by distributed.sh itself"},
		"a folder of any":     {[]string{"--", scenario, "-o", "sweep=out"}, 2, "-o sweep=out: a folder is given as -e RESULTS=DIR"},
		"gates of any":        {[]string{"--", scenario, "--out=sweep=?skip=1s&gates=g.json"}, 2, "gates are given as -e GATES=FILE"},
		"a setting without =": {[]string{"--", scenario, "-e", "ITERATIONS"}, 2, "-e takes NAME=VALUE, but has 'ITERATIONS'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := distributedBy(t, withoutRace(t), nil, tt.args...)
			require.Equal(t, tt.code, r.code, r.output)
			require.Contains(t, r.output, tt.says)
		})
	}
}

func TestDistributedLeavesNoOldReport(t *testing.T) {
	t.Parallel()
	scenario := script("cache-sweep.js")
	for name, tt := range map[string]struct {
		args []string
		code int
		left bool
	}{
		"nobody is there":          {[]string{scenario, "-e", "DURATION=1s", "-e", "CLIENTS=8", "-e", "MEMCACHED_URL=127.0.0.1:1"}, exitInvalidConfig, false},
		"k6 cannot read it":        {[]string{scenario, "-e", "DURATION=1s", "-e", "VALUE=x"}, exitInvalidConfig, false},
		"it has another name":      {[]string{"testdata/distributed.js", "-e", "DURATION=x"}, exitInvalidConfig, true},
		"it does not begin":        {[]string{scenario, "-e", "ITERATIONS=5"}, 2, true},
		"an option k6 run refuses": {[]string{scenario, "-e", "DURATION=1s", "--no-such-option"}, 255, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			mine, others := []string{}, []string{"cache-sweep-2.json", "stock-rollup.json", "cache-sweep.json.orig"}
			for _, suffix := range formats {
				mine = append(mine, "cache-sweep-memcached"+suffix)
			}
			for _, file := range slices.Concat(mine, others) {
				contents := "{\n  \"scenario\": \"cache-sweep\"\n}\n"
				if slices.Contains(others, file) {
					contents = "old"
				}
				require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(contents), 0o600))
			}
			r := distributed(t, nil, append([]string{"--parts", "2", "--"}, append(tt.args, "-e", "RESULTS="+folder)...)...)
			require.Equal(t, tt.code, r.code, r.output)
			for _, file := range mine {
				if path := filepath.Join(folder, file); tt.left {
					require.FileExists(t, path)
				} else {
					require.NoFileExists(t, path, r.output)
					require.FileExists(t, filepath.Join(folder, "previous", file))
				}
			}
			for _, file := range others {
				require.FileExists(t, filepath.Join(folder, file))
			}
		})
	}
}

// takePorts occupies a port when it gets its address, and does not answer.
func takePorts(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var working sync.WaitGroup
	var taken []net.Listener
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		working.Wait()
		for _, listener := range taken {
			require.NoError(t, listener.Close())
		}
		require.Len(t, taken, 1)
	})
	working.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			line, err := bufio.NewReader(conn).ReadString('\n')
			if err == nil {
				var listener net.Listener
				if listener, err = net.Listen("tcp", strings.TrimSpace(line)); err == nil {
					taken = append(taken, listener)
				}
			}
			fmt.Fprintf(conn, "%v\n", err)
			conn.Close()
		}
	})

	return listener.Addr().String()
}

func TestDistributedTakesAnotherPort(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	host, port, err := net.SplitHostPort(takePorts(t))
	require.NoError(t, err)
	loser := filepath.Join(folder, "k6")
	require.NoError(t, os.WriteFile(loser, []byte(`#!/usr/bin/env bash
# k6 whose first run has lost its port by the time that it begins.
[[ $* =~ \ --address\ ([^ ]+) ]] && mkdir "`+folder+`/lost" 2>/dev/null && {
  exec 3<>/dev/tcp/`+host+`/`+port+`
  echo "${BASH_REMATCH[1]}" >&3
  read -r <&3
}
exec "`+binary(t, "k6-race")+`" "$@"
`), 0o700))
	url, _ := httpServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) })
	r := distributedBy(t, loser, nil, "--parts", "2", "--", "testdata/distributed.js", "-e", "PORTABLE=true", "-e", "DURATION=1s", "-e", "HTTP_URL="+url)
	require.Equal(t, exitOK, r.code, r.output)
	require.Regexp(t, "port [0-9]+ is in use: restarting part [12] on another", r.output)
	rep := r.report(t, "http")
	require.Len(t, rep.Steps, 1)
	require.Positive(t, *rep.Steps[0].Overlap)
	require.Equal(t, 4, rep.Steps[0].Clients)
}

func TestDistributedIsInterrupted(t *testing.T) {
	t.Parallel()
	url, requests := httpServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) })
	r := distributed(t, func(script *os.Process) {
		eventually(t, "the parts are at work", func() bool { return requests.Load() > 100 })
		require.NoError(t, script.Signal(os.Interrupt))
	}, "--parts", "2", "--", "testdata/distributed.js", "-e", "DURATION=5m", "-e", "HTTP_URL="+url)
	require.Equal(t, exitInterrupted, r.code, r.output)
	rep := r.report(t, "http")
	require.True(t, rep.Interrupted)
	require.Len(t, rep.Steps, 1)
	require.Positive(t, rep.Steps[0].Ops)
	require.Zero(t, rep.Steps[0].Failed)
}

func TestDistributedWithoutWindows(t *testing.T) {
	calm(t)
	url, _ := httpServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) })
	r := distributed(t, nil, "--parts", "3", "--", filepath.Join(root, "examples/http.js"), "-e", "PORTABLE=false", "-e", fmt.Sprintf("ITERATIONS=%d", exampleShare), "-e", "WARMUP=200ms", "-e", "HTTP_URL="+url)
	requireExampleSteps(t, r, "http", "get")
	require.Contains(t, r.output, "PORTABLE=false: parts started their steps independently")
}
