package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

type stoppedStep struct {
	Complete  bool
	LatencyMs struct{ P50, P99, Max float64 }
	OpenLoop  struct {
		InTime, LateByK6 float64
		LatenessMs       struct{ P99 float64 }
	}
	Standstill struct{ LongestMs, Part float64 }
	Witness    struct{ LimitedBy, Why string }
}

func stopped(t *testing.T, r *run, scenario string) stoppedStep {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.results, scenario+".json"))
	require.NoError(t, err, r.output)
	var rep struct{ Steps []stoppedStep }
	require.NoError(t, json.Unmarshal(raw, &rep))
	require.Len(t, rep.Steps, 1, r.output)

	return rep.Steps[0]
}

func gateFile(t *testing.T, gates string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gates.json")
	require.NoError(t, os.WriteFile(path, []byte(gates), 0o600))

	return path
}

// k6 is stopped for a third of an open loop: the latency includes the wait of all operations that
// were due, for JavaScript calls and for operations in Go.
func TestAnOpenLoopThatIsStopped(t *testing.T) {
	calm(t)
	const stop = 2 * time.Second
	pause := func(k6 *os.Process) {
		_ = k6.Signal(unix.SIGSTOP)
		time.Sleep(stop)
		_ = k6.Signal(unix.SIGCONT)
	}
	gates := `{ "scenario": "stopped", "absolute": [{ "op": "get", "p99": "1m" }] }`
	for name, inGo := range map[string]string{"calls": "", "client.run": "true"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := k6(t, options{
				script: "testdata/stopped.js", shows: `running \(00m0[1-3]`, measuring: pause,
				env: cachesEnv(t, "RATE", "500", "CLIENTS", "16", "DURATION", "6s", "IN_GO", inGo, "GATES", gateFile(t, gates)),
			})
			require.Equal(t, exitMarkedFailed, r.code, r.output)
			require.NotEmpty(t, r.lines("gate undecided: p99 of get"), r.output)
			s := stopped(t, r, "stopped")
			require.True(t, s.Complete, r.output)
			require.InDelta(t, 1900, s.LatencyMs.P99, 700, "a third of the operations was due in these 2 s")
			require.GreaterOrEqual(t, s.LatencyMs.P99, 0.9*s.OpenLoop.LatenessMs.P99)
			require.Less(t, s.OpenLoop.InTime, 0.9)
			require.Greater(t, s.OpenLoop.LateByK6, 0.1, "clients were free")
			require.Equal(t, "k6", s.Witness.LimitedBy, s.Witness.Why)
			require.Contains(t, r.table(t, "stopped"), "late p99")
		})
	}
}

// If a server stalls for half of a closed loop, each client has one slow operation, which no
// percentile shows: the step is marked, and its latency gates do not hold.
func TestAServerThatStandsStill(t *testing.T) {
	calm(t)
	env := ownStore(t, "memcached", "MEMCACHED_THREADS=1")
	signal := func(name string) { _ = exec.Command("kill", "-"+name, env["MEMCACHED_PID"]).Run() }
	gates := `{ "scenario": "stopped", "absolute": [{ "op": "get", "p99": "1s" }] }`
	r := k6(t, options{
		script: "testdata/stopped.js",
		env: map[string]string{
			"MEMCACHED_URL": env["MEMCACHED_URL"], "CLIENTS": "16", "DURATION": "6s", "IN_GO": "true", "GATES": gateFile(t, gates),
			defaultEnvMachbase: "",
		},
		measuring: func(*os.Process) {
			signal("STOP")
			time.Sleep(3 * time.Second)
			signal("CONT")
		},
	})
	require.Equal(t, exitThreshold, r.code, r.output)
	require.NotEmpty(t, r.lines("gate crossed: p99 of get"), r.output)
	s := stopped(t, r, "stopped")
	require.Less(t, s.LatencyMs.P99, 1000.0, "the bound is kept")
	require.InDelta(t, 3000, s.Standstill.LongestMs, 1000)
	require.InDelta(t, 0.5, s.Standstill.Part, 0.2)
	require.Equal(t, "server", s.Witness.LimitedBy, s.Witness.Why)
	require.Contains(t, s.Witness.Why, "No operation ended")
	require.Contains(t, r.table(t, "stopped"), "16 clients: it stood still for ")
	for bound, code := range map[string]int{"1s": exitThreshold, "1m": exitOK} {
		gates := gateFile(t, `{ "scenario": "stopped", "absolute": [{ "op": "get", "standstill": "`+bound+`" }] }`)
		judged, out, _ := sweep(t, "gate", filepath.Join(r.results, "stopped.json"), gates)
		require.Equal(t, code, judged, out)
	}
}
