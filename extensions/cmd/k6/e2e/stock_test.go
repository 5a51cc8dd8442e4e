package e2e

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The published columns, then additional ones.
const tableHeader = "| Ver | scenario | clients | per client | ops/s | min client | max client | avg client | p50 | p99 | failed | limited by |"

func TestLoadIsIdempotentAndRefusesOtherData(t *testing.T) {
	t.Parallel()
	loadStock(t)

	again := k6(t, options{script: "stock-load.js", env: loaded.env})
	require.Equal(t, exitOK, again.code, again.output)
	rows := sum(again.samples(t, "stock_rows_loaded"), nil)
	const rowsPerMinute = 60*200 + 60*200 + 692 // ticks, roll-up rows of seconds (at most) and of minutes
	minutes := math.Ceil(time.Since(loaded.at).Minutes())
	require.LessOrEqual(t, rows, minutes*rowsPerMinute, "only the minutes that have begun since")
	require.Less(t, minutes, 124.0, "that are fewer than were loaded")

	other := k6(t, options{script: "stock-load.js", env: map[string]string{"BACK": "30", "AHEAD": "0", "TPS": "300"}})
	require.Equal(t, exitAborted, other.code, other.output)
	require.Contains(t, other.output, "not 18000: other data, another SEED or TPS")
}

func TestStockSweepsCountEveryRow(t *testing.T) {
	t.Parallel()
	loadStock(t)
	for _, c := range []struct {
		scenario, op string
		env          map[string]string
		least, most  int // rows of an answer; 60 minutes are 61 rows if they begin with a full one
	}{
		{"stock-rollup", "rollup", nil, 60, 61},
		{"stock-rollup", "rollup", map[string]string{"REUSE": "true"}, 60, 61},
		{"stock-rollup", "rollup", map[string]string{"REUSE": "true", "IN_GO": "true"}, 60, 61},
		{"stock-tick", "tick", nil, 1, 100},
		{"stock-tick", "tick", map[string]string{"IN_GO": "true"}, 1, 100},
		{"stock-union", "union", map[string]string{"UNION": "1m"}, 60, 61},
		{"stock-union", "union", map[string]string{"UNION": "1s", "REUSE": "true"}, 60, 61},
	} {
		t.Run(fmt.Sprint(c.scenario, c.env), func(t *testing.T) {
			t.Parallel()
			env := map[string]string{"CLIENTS": "1,4", "ITERATIONS": "30", "WARMUP": "200ms", "PAUSE": "0s"}
			for name, value := range c.env {
				env[name] = value
			}
			r := k6(t, options{script: c.scenario + ".js", env: env})
			require.Equal(t, exitOK, r.code, r.output)
			rep := r.report(t, c.scenario)
			require.Len(t, rep.Steps, 2)
			for i, clients := range []int{1, 4} {
				s := rep.Steps[i]
				require.Equal(t, c.op, s.Op)
				require.Equal(t, 30*clients, s.Ops)
				require.Zero(t, s.Failed)
				require.True(t, s.Complete)
				require.GreaterOrEqual(t, s.Rows, s.Ops*c.least)
				require.LessOrEqual(t, s.Rows, s.Ops*c.most)
				require.Greater(t, s.BytesReceived, s.Rows*20)
				require.NotNil(t, s.CPUSeconds.Server, "the server runs here: its processor time is known")
			}
			require.Equal(t, "machbase", rep.Target["kind"])
			require.Equal(t, "v8.0.67", rep.Target["version"])
			require.Equal(t, "WISH", rep.Params["code"])
			require.Equal(t, c.env["REUSE"] == "true", rep.Params["reuse"])
			require.Equal(t, c.env["IN_GO"] == "true", rep.Params["inGo"] == true)

			header, _, _ := strings.Cut(r.table(t, c.scenario), "\n")
			require.Equal(t, tableHeader, strings.Join(strings.Fields(header), " "))
			require.Contains(t, r.output, header, "the table is printed too")
		})
	}
}

func TestReuseSavesRoundTrips(t *testing.T) {
	t.Parallel()
	loadStock(t)
	sent := func(reuse string) int {
		r := k6(t, options{script: "stock-rollup.js", env: map[string]string{
			"CLIENTS": "1", "ITERATIONS": "50", "WARMUP": "0s", "REUSE": reuse,
		}})
		require.Equal(t, exitOK, r.code, r.output)

		return r.report(t, "stock-rollup").Steps[0].BytesSent
	}
	require.Less(t, 3*sent("true"), sent("false"), "the statement's text goes out once, not 50 times")
}

func TestNothingToReadStopsWithAHint(t *testing.T) {
	t.Parallel()
	server := startServer(t) // without tables
	for script, env := range map[string]map[string]string{
		"stock-rollup.js": {"MACHBASE_URL": server.url, "CLIENTS": "1"},
		"stock-tick.js":   {"CODE": "NOSUCHCODE", "CLIENTS": "1"},
	} {
		loadStock(t)
		r := k6(t, options{script: script, env: env})
		require.Equal(t, exitAborted, r.code, r.output)
		require.Len(t, r.lines(noDataHint), 1, r.output)
		require.NoFileExists(t, r.results+"/"+strings.TrimSuffix(script, ".js")+".json")
	}
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		says string
	}{
		"clients":      {map[string]string{"CLIENTS": "1,x"}, `CLIENTS must be integers from 1, with commas between them, such as 1,8,64, but is "1,x"`},
		"ops":          {map[string]string{"ITERATIONS": "0"}, `ITERATIONS must be an integer from 1, but is "0"`},
		"warmup":       {map[string]string{"WARMUP": "soon"}, `WARMUP must be a time such as 2s, but is "soon"`},
		"max duration": {map[string]string{"MAX_DURATION": "0s"}, `maxDuration must be at least 1s, but is 0s`},
		"reuse":        {map[string]string{"REUSE": "maybe"}, `REUSE must be true or false, but is "maybe"`},
		"both":         {map[string]string{"ITERATIONS": "1", "DURATION": "1s"}, `DURATION and ITERATIONS exclude each other`},
		"url":          {map[string]string{"MACHBASE_URL": "ftp://nowhere"}, `the url must look like machbase://`},
		"url name":     {map[string]string{"MACHBASE_URL": "machbase://localhost?timout=1s"}, `unknown option "timout" in the url; known are`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := refused(t, options{script: "stock-rollup.js", env: c.env})
			require.Contains(t, []int{exitInvalidConfig, exitScriptException}, r.code, r.output)
			require.Contains(t, strings.ReplaceAll(r.output, `\"`, `"`), c.says)
		})
	}
}

func TestServersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	url := serverURL(t)
	for name, c := range map[string]struct{ url, says string }{
		"wrong password": {strings.Replace(url, ":"+password+"@", ":wrong@", 1), "Invalid username/password. (machbase error 2081)"},
		"unknown host":   {"machbase://sys:x@no-such-host.invalid:5656", "there is no such host"},
		"nobody there":   {"machbase://sys:x@" + nobody, "connection refused; is a Machbase server running there?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := k6(t, options{script: "stock-rollup.js", env: map[string]string{"MACHBASE_URL": c.url, "CLIENTS": "1"}})
			require.Equal(t, exitAborted, r.code, r.output)
			require.Len(t, r.lines(c.says), 1, r.output)
		})
	}
}

func TestOptionsInTheURL(t *testing.T) {
	t.Parallel()
	loadStock(t)
	r := k6(t, options{script: "stock-rollup.js", env: map[string]string{
		"MACHBASE_URL": serverURL(t) + "?statementCache=auto", "CLIENTS": "1", "ITERATIONS": "1", "TIMEOUT": "9s",
	}})
	require.Equal(t, exitOK, r.code, r.output)
	require.Equal(t, true, r.report(t, "stock-rollup").Params["reuse"])
}

func TestResultsThatCannotBeKeptEndTheRunBeforeItBegins(t *testing.T) {
	t.Parallel()
	loadStock(t)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	r := k6(t, options{script: "stock-rollup.js", env: map[string]string{"RESULTS": filepath.Join(file, "results"), "CLIENTS": "1"}})
	require.Equal(t, exitAborted, r.code, r.output)
	require.Len(t, r.lines("the results cannot be kept"), 1, r.output)
}

func TestAnswersThatShrinkAreFailures(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	r := k6(t, options{script: "stock-load.js", env: map[string]string{
		"MACHBASE_URL": server.url, "BACK": "64", "AHEAD": "0", "TPS": "200",
	}})
	require.Equal(t, exitOK, r.code, r.output)
	// The window of a client ends two minutes before its start, as the data does. From the third
	// minute on, a row is missing.
	r = k6(t, options{script: "testdata/shrink.js", env: map[string]string{"MACHBASE_URL": server.url}})
	require.Equal(t, exitThreshold, r.code, r.output)
	s := r.report(t, "shrink").Steps[0]
	require.Zero(t, s.Ops)
	require.Equal(t, 4, s.Failed)
	for text := range s.Extra.Errors {
		require.Regexp(t, `^MachbaseError: the answer has \d\d rows, but needs at least 60`, text)
	}
}

func TestServerKilledInAStep(t *testing.T) {
	t.Parallel()
	loadStock(t)
	server := newDoor(t)
	r := k6(t, options{
		script:    "stock-rollup.js",
		env:       map[string]string{"MACHBASE_URL": server.url, "CLIENTS": "4", "ITERATIONS": "100000", "MAX_DURATION": "15s", "TIMEOUT": "2s"},
		shows:     worked,
		measuring: func(*os.Process) { server.destroy() },
	})
	require.Equal(t, exitThreshold, r.code, r.output)
	s := r.report(t, "stock-rollup").Steps[0]
	require.Positive(t, s.Ops, "what was done before counts")
	require.Positive(t, s.Failed, "what failed after is counted")
	require.NotEmpty(t, r.lines("connection refused"))
}

func TestInterruptWhileTheServerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	loadStock(t)
	server, ended := newDoor(t), make(chan struct{})
	var interrupted time.Time
	r := k6(t, options{
		script: "stock-rollup.js",
		env:    map[string]string{"MACHBASE_URL": server.url, "CLIENTS": "8", "ITERATIONS": "100000", "TIMEOUT": "120s"},
		measuring: func(k6 *os.Process) {
			go server.closed(func() { <-ended })
			interrupted = time.Now()
			_ = k6.Signal(syscall.SIGINT)
		},
	})
	close(ended)
	require.Equal(t, exitInterrupted, r.code, r.output)
	require.Less(t, r.ended.Sub(interrupted), time.Minute, "it does not wait for the server")
	require.True(t, r.report(t, "stock-rollup").Interrupted)
}

func TestServerThatComesBack(t *testing.T) {
	t.Parallel()
	loadStock(t)
	server := newDoor(t)
	var back time.Time
	r := k6(t, options{
		script: "stock-rollup.js",
		env:    map[string]string{"MACHBASE_URL": server.url + "?timeout=1s", "CLIENTS": "2", "DURATION": "12s", "WARMUP": "0s"},
		measuring: func(*os.Process) {
			server.closed(func() { time.Sleep(3 * time.Second) })
			back = time.Now()
		},
	})
	require.Equal(t, exitThreshold, r.code, r.output)
	s := r.report(t, "stock-rollup").Steps[0]
	require.True(t, s.Complete)
	require.NotZero(t, s.Extra.Errors["MachbaseError: no answer within timeout (1s)"], "%v", s.Extra.Errors)
	since := slices.DeleteFunc(r.samples(t, "sweep_ops"), func(p point) bool {
		return p.Data.Time.Before(back.Add(time.Second))
	})
	require.Positive(t, sum(since, map[string]string{"outcome": "ok"}), "operations succeed again after the server is back: %s", r.output)
}

func TestStockRamp(t *testing.T) {
	t.Parallel()
	loadStock(t)
	r := k6(t, options{
		script: "stock-ramp.js", env: map[string]string{"VUS": "8", "RAMP": "500ms", "HOLD": "1s"},
		args: []string{"-o", "sweep=?by=stage&gates=" + filepath.Join(root, "thresholds", "stock-ramp.json")},
	})
	rep := r.report(t, "stock-ramp")
	clients := map[int]bool{}
	ops, connects := 0, 0
	for _, s := range rep.Steps {
		require.Zero(t, s.Failed)
		switch s.Op {
		case "connect":
			connects += s.Ops
		case "rollup":
			clients[s.Clients] = true
			ops += s.Ops
		}
	}
	require.Len(t, clients, 8, "a row for each stage: %v", clients)
	require.Equal(t, 8, connects, "once for each VU")
	require.InDelta(t, ops, sum(r.samples(t, "machbase_ops"), map[string]string{"op": "query", "scenario": "stock-ramp"}), 8)
	require.Equal(t, "machbase", rep.Target["kind"])
	gates := r.gates(t, "stock-ramp")
	require.True(t, gates["sweep_op_failed rate==0"])
	require.Len(t, gates, 4, "and those of the file: %v", gates)
}

func TestGatesOfTheScenarios(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"stock-rollup", "stock-tick", "stock-union", "stock-ramp"} {
		code, stdout, stderr := sweep(t, "validate", filepath.Join(root, "thresholds", scenario+".json"))
		require.Zero(t, code, stdout+stderr)
	}
	loadStock(t)
	r := k6(t, options{script: "stock-tick.js", env: map[string]string{
		"CLIENTS": "1,2", "ITERATIONS": "20", "WARMUP": "0s", "GATES": "../thresholds/stock-tick.json",
	}})
	require.Contains(t, []int{exitOK, exitThreshold, exitMarkedFailed}, r.code, r.output)
	require.Len(t, r.fileGates(t, "stock-tick"), 4)
}
