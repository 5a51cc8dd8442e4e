package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGatesJudgeADuetByItsBase(t *testing.T) {
	t.Parallel()
	gates := filepath.Join(t.TempDir(), "gates.json")
	// On a busy machine a step can be unsteady: that passes here, but a slower change does not.
	require.NoError(t, os.WriteFile(gates, []byte(
		`{"scenario": "work", "undecided": "pass", "relative": {"opsPerSecond": "-50%"}}`), 0o600))
	const gate = "ops/s of every step >= 0.5x of base ("
	same := k6(t, options{script: "testdata/gated-duet.js", env: map[string]string{"MS": "5", "GATES": gates}})
	require.Equal(t, exitOK, same.code, same.output)
	require.Regexp(t, `(held|undecided): `+regexp.QuoteMeta(gate), same.table(t, "work"))
	slower := k6(t, options{script: "testdata/gated-duet.js", env: map[string]string{"MS": "40", "GATES": gates}})
	require.Equal(t, exitThreshold, slower.code, slower.output)
	require.Contains(t, slower.table(t, "work"), "CROSSED: "+gate+"change is 0.")
	require.Contains(t, slower.table(t, "work"), "of base with 4 clients; could see")

	// A percentile that only the change lacks is crossed, even if undecided passes.
	tails := filepath.Join(t.TempDir(), "tails.json")
	require.NoError(t, os.WriteFile(tails, []byte(`{"scenario": "work", "undecided": "pass", "relative": {"p99": "+900%"}}`), 0o600))
	lost := k6(t, options{script: "testdata/gated-duet.js", env: map[string]string{"MS": "100", "GATES": tails}})
	require.Equal(t, exitThreshold, lost.code, lost.output)
	require.Contains(t, lost.table(t, "work"), "10x of base (base had enough operations for it: p99 of ")

	// A run without a duet has no base.
	alone := work(t, `{"clients": [2], "iterations": 20, "gates": "`+gates+`"}`, nil)
	require.Equal(t, exitThreshold, alone.code, alone.output)
	require.NotEmpty(t, alone.lines("gate crossed: ops/s of every step"), alone.output)
	require.Regexp(t, `(?s)relative gates need a duet or a baseline, and this run is no duet: .*baselines/work.json.* ops/s, p50 `, alone.output, "before the first figures")
}

func TestGatesThatDuetsCannotHave(t *testing.T) {
	t.Parallel()
	gates := gateFile(t, `{"scenario": "work", "undecided": "pass", "relative": {"p99": "+900%"}}`)
	for given, why := range map[string]string{
		"SERVERS":   "gates: relative.p99: p99 of two servers differs by which processes they are: k6 x sweep ab --gate p99=+10%",
		"PRECISION": "relative gates cannot judge steps with a precision",
	} {
		t.Run(given, func(t *testing.T) {
			t.Parallel()
			r := k6(t, options{script: "testdata/gated-duet.js", env: with(noMachbase, map[string]string{"MS": "5", "GATES": gates, given: "1"})})
			require.Equal(t, exitInvalidConfig, r.code, r.output)
			require.Len(t, r.lines(why), 1, r.output)
		})
	}
}

func TestGatesJudgeADuetByAllOfItsSlices(t *testing.T) {
	t.Parallel()
	gates := gateFile(t, `{"scenario": "work", "undecided": "pass", "relative": {"opsPerSecond": "-50%"}}`)
	r := k6(t, options{script: "testdata/gated-duet.js", environment: noWitness, env: with(noMachbase, map[string]string{
		"MS": "0.5", "BASE_MS": "0.5", "DISTURBED": "true", "GATES": gates, "DURATION": "16s",
	})})
	d := duetReport(t, r, "work").Duets[0]
	require.Greater(t, d.Slices, 80, "calm slices cannot be told from others before")
	for _, key := range []string{"opsPerSecond", "mean"} {
		f := d.Of(key)
		require.InEpsilon(t, f.Change/f.Base, f.Ratio, 1e-6, key)
	}
	f := d.Of("opsPerSecond")
	require.Contains(t, r.table(t, "work"), fmt.Sprintf("(change is %.3fx (", f.Change/f.Base))
}
