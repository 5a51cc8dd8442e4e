package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

type testimony struct {
	LimitedBy witness.Word
	Why       string
	Evidence  witness.Evidence
	OverTime  *struct {
		EverySeconds      float64
		Idle, K6, Server  []float64
		GCPauseMs, LateMs []float64
	}
	seconds float64
}

func testify(t *testing.T, serve http.HandlerFunc, env map[string]string) *testimony {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	env["URL"], env["MACHBASE_URL"] = server.URL, ""
	// On a busy machine clients may not overlap enough for k6's thresholds.
	r := k6(t, options{script: "testdata/witness.js", env: env, args: []string{"--no-thresholds"}})
	require.Equal(t, exitOK, r.code, r.output)
	raw, err := os.ReadFile(filepath.Join(r.results, "witness.json"))
	require.NoError(t, err)
	var report struct {
		Steps []struct {
			Witness *testimony
			Seconds float64
		}
	}
	require.NoError(t, json.Unmarshal(raw, &report))
	require.NotEmpty(t, report.Steps)
	s := report.Steps[0].Witness
	require.NotNil(t, s)
	s.seconds = report.Steps[0].Seconds
	require.Contains(t, r.output, "limited by: "+string(s.LimitedBy))
	table, err := os.ReadFile(filepath.Join(r.results, "witness.md"))
	require.NoError(t, err)
	require.Contains(t, string(table), "| limited by |")

	return s
}

// undisturbed returns the word without the load of other tests, which are real neighbours.
func (s *testimony) undisturbed() witness.Word {
	for _, name := range []string{witness.Disturbing, witness.Stolen, witness.Throttled} {
		delete(s.Evidence, name)
	}
	word, _ := witness.Judge(s.Evidence)

	return word
}

func answer(http.ResponseWriter, *http.Request) {}

func TestStepLimitedByItsRate(t *testing.T) {
	s := testify(t, answer, map[string]string{"RATE": "20"})
	require.Equal(t, witness.Rate, s.undisturbed(), "%+v", s)
	require.Equal(t, 1.0, s.Evidence[witness.ServerHere], "the server is on this machine")
	require.Contains(t, s.Evidence, witness.ServerUsed)
	require.GreaterOrEqual(t, s.seconds, 1.9)
	require.InDelta(t, 10*s.seconds, len(s.OverTime.Idle), 2, "a value each 100 ms")
	require.Equal(t, 0.1, s.OverTime.EverySeconds)
	require.Len(t, s.OverTime.Server, len(s.OverTime.Idle))
}

func TestShortStepIsMarked(t *testing.T) {
	t.Parallel()
	s := testify(t, answer, map[string]string{"DURATION": "100ms"})
	require.Equal(t, witness.Short, s.LimitedBy, s.Why)
}

// Runs alone: the test is the server, and other tests' k6 would count as part of it.
func TestStepLimitedByAScriptThatComputes(t *testing.T) {
	s := testify(t, answer, map[string]string{"WORK": "compute"})
	require.Equal(t, witness.K6Itself, s.undisturbed(), "%+v", s)
	require.Contains(t, s.Evidence, witness.SchedulerMs)
}

func TestStepLimitedByAServerThatStandsStill(t *testing.T) {
	calm(t)
	var once sync.Once
	var begin, until time.Time
	s := testify(t, func(http.ResponseWriter, *http.Request) {
		once.Do(func() { begin = time.Now().Add(time.Second); until = begin.Add(1500 * time.Millisecond) })
		if now := time.Now(); now.After(begin) && now.Before(until) {
			time.Sleep(until.Sub(now))
		}
	}, map[string]string{"DURATION": "3s"})
	require.Equal(t, witness.Server, s.undisturbed(), "%+v", s)
	require.InDelta(t, 0.5, s.Evidence[witness.StoodStill], 0.3, "half of the step")
}
