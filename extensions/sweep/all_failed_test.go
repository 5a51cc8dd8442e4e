package sweep_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
)

// requireAborted checks that the sweep ended as k6's test.abort does, and returns the reason.
func requireAborted(t *testing.T, err error) string {
	t.Helper()
	require.Error(t, err)
	require.True(t, errext.IsInterruptError(err))
	var coded errext.HasExitCode
	require.ErrorAs(t, err, &coded)
	require.Equal(t, exitcodes.ScriptAborted, coded.ExitCode())

	text, _ := errext.Format(err)

	return text
}

func TestSweepThatCannotSucceedEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		options, script, says, check string
	}{
		"sweep.run":         {``, `sweep.run(() => { sleep(1); throw new ReferenceError("foo is not defined") })`, "ReferenceError: foo is not defined (at ", "Check the script."},
		"a plain function":  {``, `sleep(1); throw new Error("dial tcp 127.0.0.1:" + (1000 + calls) + ": connection refused")`, "Error: dial tcp 127.0.0.1:", "Check the server and its address."},
		"connecting":        {``, `sleep(20); throw new Error("wrong password"); sweep.run(() => {})`, "Error: wrong password", "Check user and password."},
		"its samples":       {``, `sweep.run(() => { sleep(1); answered(404) })`, "http: GET http://h/ answered 404 Not Found.", "Check the script, the server's address, user and password."},
		"named operations":  {``, `sweep.run(() => sweep.op("named", () => { sleep(1); throw new Error("no") }))`, "Error: no", ""},
		"in the warm-up":    {`, "warmup": "20s"`, `sweep.run(() => { sleep(1); throw new Error("no") })`, "Error: no", ""},
		"allowed to fail":   {`, "allowFailed": true`, `sweep.run(() => { sleep(1); throw new Error("no") })`, "Error: no", ""},
		"slow, one attempt": {``, `sleep(60000); throw new Error("timeout")`, "Error: timeout", "Check the server and its address."},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, `{"clients": [8, 1, 16], "duration": "30s", "maxDuration": "5m"`+tt.options+`}`, tt.script)
				begin := time.Now()
				rep, err := s.Run(t.Context())
				why := requireAborted(t, err)
				require.Contains(t, why, "no operation has succeeded, and all 8 clients fail with one cause, ")
				require.Contains(t, why, tt.says)
				require.Contains(t, why, tt.check)
				require.Equal(t, rep.Steps[0].Failed == 0, strings.Contains(why, " times before the measured phase: "), "as in the table")
				if name == "in the warm-up" {
					require.Zero(t, rep.Steps[0].Failed)
					require.Contains(t, rep.Markdown(), "The run was interrupted before an operation of the last step shown ended in its measured phase")
				}
				if name == "slow, one attempt" {
					require.Equal(t, time.Minute, time.Since(begin).Truncate(time.Second))
					require.Contains(t, why, ", 8 times before the measured phase")
				} else {
					require.Less(t, time.Since(begin), 2*time.Second)
				}
				require.Empty(t, strings.Join(failures(s), "\n"), "the line that ends the test is the only one with the cause")
				require.True(t, rep.Interrupted)
				require.Len(t, rep.Steps, 1)
				require.False(t, rep.Steps[0].Complete)
				require.Zero(t, rep.Steps[0].Operations)
			})
		})
	}
}

func failures(s *testSweep) (lines []string) {
	for _, line := range s.Warnings() {
		if strings.HasPrefix(line, "operation failed: ") {
			lines = append(lines, line)
		}
	}

	return lines
}

func TestSweepThatMaySucceedGoesOn(t *testing.T) {
	for name, tt := range map[string]struct {
		options, script string
		logged          []string
	}{
		"onError: continue":       {`, "onError": "continue"`, `sweep.run(() => { sleep(10); throw new Error("no") })`, []string{"operation failed: Error: no", "operation failed: Error: no"}},
		"one client succeeds":     {``, `sweep.run(() => { sleep(10); if (vu !== 1) { throw new Error("no") } })`, []string{"operation failed: Error: no", "operation failed: Error: no"}},
		"it succeeds once":        {``, `let n = 0; sweep.run(() => { sleep(10); if (++n > 1) { throw new Error("no") } })`, []string{"operation failed: Error: no", "operation failed: Error: no"}},
		"the first call succeeds": {``, `sleep(10); if (calls > 1) { throw new Error("no") }`, []string{"operation failed: Error: no", "operation failed: Error: no"}},
		"the step before did":     {``, `const before = calls === 1; sweep.run(() => { sleep(10); if (!before) { throw new Error("no") } })`, []string{"operation failed: Error: no"}},
		"two causes":              {``, `sweep.run(() => { sleep(10); throw new Error(vu === 1 ? "no" : "never") })`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, `{"clients": [2, 3], "duration": "5s"`+tt.options+`}`, tt.script)
				rep, err := s.Run(t.Context())
				require.NoError(t, err)
				require.False(t, rep.Interrupted)
				require.Len(t, rep.Steps, 2)
				for _, step := range rep.Steps {
					require.True(t, step.Complete)
				}
				if tt.logged != nil {
					require.Equal(t, tt.logged, failures(s), "once for each step")
				}
			})
		})
	}
}

// Failures are logged soon, before the sweep is aborted.
func TestFaultsAreLoggedSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "duration": "20s"}`, `sweep.run(() => { sleep(1); if (vu === 1) { sleep(10000) } else { throw new Error("no") } })`)
		done := make(chan error, 1)
		go func() {
			_, err := s.Run(t.Context())
			done <- err
		}()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		require.Equal(t, []string{"operation failed: Error: no"}, failures(s))
		require.NoError(t, <-done)
		require.Len(t, failures(s), 1)
	})
}
