package e2e

import (
	"debug/buildinfo"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBinaryHasNoMachbaseClients(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"k6-race", "k6-xk6"} {
		info, err := buildinfo.ReadFile(binary(t, name))
		require.NoError(t, err)
		require.NotEmpty(t, info.Deps)
		for _, module := range info.Deps {
			require.NotContains(t, module.Path, "github.com/machbase/", name)
		}
	}
}

func TestMissingDrivers(t *testing.T) {
	t.Parallel()
	const missing = `driver "%s" is not in this k6, which has native; ` + "`make build-drivers` builds one with all"
	for _, c := range []struct {
		scenario string
		env      map[string]string
		says     string
	}{
		{"stock-rollup", map[string]string{"DRIVER": "machgo"}, fmt.Sprintf(missing, "machgo")},
		{"stock-tick", map[string]string{"DRIVER": "machcli"}, fmt.Sprintf(missing, "machcli")},
		{"stock-union", map[string]string{"DRIVER": "odbc"}, `DRIVER must be one of native, machgo, machcli, but is "odbc"`},
		{"stock-ramp", map[string]string{"DRIVER": "odbc"}, `DRIVER must be one of native, machgo, machcli, but is "odbc"`},
		{"stock-drivers", nil, fmt.Sprintf(missing, "machcli")},
		{"stock-drivers", map[string]string{"DRIVERS": "native,odbc"},
			`DRIVERS must be all, or some of native, machgo, machcli with commas between them, but is "native,odbc"`},
	} {
		t.Run(fmt.Sprint(c.scenario, c.env), func(t *testing.T) {
			t.Parallel()
			r := refused(t, options{script: c.scenario + ".js", env: c.env})
			require.Contains(t, []int{exitInvalidConfig, exitScriptException}, r.code, r.output)
			require.Contains(t, strings.ReplaceAll(r.output, `\"`, `"`), c.says)
		})
	}
}

func TestDriversTakeTurns(t *testing.T) {
	t.Parallel()
	loadStock(t)
	r := k6(t, options{script: "stock-drivers.js", env: map[string]string{
		"DRIVERS": "native", "CLIENTS": "1,3", "REPEATS": "2", "ITERATIONS": "20", "WARMUP": "100ms", "PAUSE": "0s",
	}})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.report(t, "stock-drivers")
	require.Equal(t, "native", rep.Target["driver"])
	require.Equal(t, []any{"native", "native-reuse"}, rep.Params["variants"])
	var got []string
	for _, s := range rep.Steps {
		got = append(got, fmt.Sprint(s.Clients, " ", s.Op, " ", s.Repeat))
		require.Equal(t, 20*s.Clients, s.Ops)
		require.Zero(t, s.Failed)
	}
	require.Equal(t, []string{
		"1 native 1", "1 native-reuse 1", "3 native 1", "3 native-reuse 1",
		"1 native-reuse 2", "1 native 2", "3 native-reuse 2", "3 native 2",
	}, got, "the repeats are those of each driver")
	saved := float64(rep.Steps[1].BytesSent) / float64(rep.Steps[0].BytesSent)
	require.Less(t, saved, 0.7, "with reuse, less is sent")
	require.Contains(t, r.output, "stock-drivers native-reuse")
}

func TestReportHasTheDriver(t *testing.T) {
	t.Parallel()
	loadStock(t)
	r := k6(t, options{script: "stock-rollup.js", env: map[string]string{"CLIENTS": "1", "ITERATIONS": "5", "WARMUP": "0s", "DRIVER": "native"}})
	require.Equal(t, exitOK, r.code, r.output)
	require.Equal(t, "native", r.report(t, "stock-rollup").Target["driver"])
}

func TestRollupOverHTTP(t *testing.T) {
	t.Parallel()
	loadStock(t)
	r := k6(t, options{script: "stock-rollup-http.js", env: map[string]string{
		"CLIENTS": "1,3", "ITERATIONS": "20", "WARMUP": "0s", "MACHBASE_HTTP_URL": httpURL(t), "K6_SWEEP_WITNESS": "off",
	}})
	require.Equal(t, exitOK, r.code, r.output)
	rep := r.report(t, "stock-rollup-http")
	require.Equal(t, httpURL(t), rep.Target["url"])
	require.Equal(t, "v8.0.67", rep.Target["version"])
	require.Len(t, rep.Steps, 2)
	for _, s := range rep.Steps {
		require.Equal(t, 20*s.Clients, s.Ops)
		require.Zero(t, s.Failed)
	}
}

func TestRollupOverHTTPThatFindsNothing(t *testing.T) {
	t.Parallel()
	loadStock(t) // makes the tables
	for address, want := range map[string]string{httpURL(t): "the answer has 0 rows, not 60: run stock-load.js first", "http://127.0.0.1:1": "connection refused"} {
		r := k6(t, options{script: "stock-rollup-http.js", env: map[string]string{"MACHBASE_HTTP_URL": address, "CODE": "no such code"}})
		require.Equal(t, exitAborted, r.code, r.output)
		require.Contains(t, r.output, want)
	}
}
