package sweep_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// The report has both variants and their comparison.
func TestSweepRunOfTwoFunctions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [4], "duration": "2s", "warmup": "200ms", "repeats": 2}`,
			`sweep.run({ base: () => sleep(10), change: () => { sleep(12); if (vu === 1) throw new Error('the change fails') } })`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.NoError(t, rep.Validate())
		require.Len(t, rep.Steps, 4)
		require.Len(t, rep.Duets, 2)
		for i := range rep.Duets {
			base, change := &rep.Steps[2*i], &rep.Steps[2*i+1]
			require.Equal(t, [2]string{report.Base, report.Change}, [2]string{base.Variant, change.Variant})
			require.Equal(t, [2]string{"rollup", "rollup"}, [2]string{base.Op, change.Op})
			n := float64(base.Clients)
			require.InEpsilon(t, n/0.010, base.OpsPerSecond, 0.001)
			require.InEpsilon(t, (n-1)/0.012, change.OpsPerSecond, 0.01)
			require.Zero(t, base.Failed)
			require.Positive(t, change.Failed)
			require.True(t, base.Complete)
			require.Nil(t, base.Window)

			d := &rep.Duets[i]
			require.Equal(t, d, rep.DuetOf(change))
			mean := d.Of("mean")
			require.InEpsilon(t, 1.2, mean.Ratio, 1e-6)
			require.InEpsilon(t, 12, mean.Change, 1e-6, "milliseconds")
			require.InEpsilon(t, 1.2, d.Of("p50").Ratio, 0.001)
			require.Less(t, d.Of("p50").Low, 1.2, "the class of durations hides a part")
			rate := d.Of("opsPerSecond")
			require.InEpsilon(t, change.OpsPerSecond, rate.Change, 0.01)
			require.InDelta(t, (n-1)/n/1.2, rate.Ratio, 0.01)
			require.Nil(t, d.Of("p99"), "it rests on too few operations")
		}

		ended := map[string]float64{}
		for _, sample := range s.Sent()["sweep_ops"] {
			ended[sample.Tags["variant"]+" "+sample.Tags["outcome"]] += sample.Value
		}
		want := map[string]float64{}
		for _, step := range rep.Steps {
			want[step.Variant+" ok"] += float64(step.Operations)
			want[step.Variant+" failed"] += float64(step.Failed)
		}
		require.Equal(t, want, ended)
	})
}

func TestDuetAtARate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"rate": [400], "preAllocatedVUs": 30, "duration": "4s", "warmup": "200ms"}`,
			`sweep.run({ base: () => sleep(10), change: () => sleep(15) })`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.NoError(t, rep.Validate())
		require.Len(t, rep.Steps, 2)
		require.Len(t, rep.Duets, 1)
		d := &rep.Duets[0]
		require.InDelta(t, 400, d.Rate, 0)
		require.InEpsilon(t, 1.5, d.Of("mean").Ratio, 1e-6)
		require.InEpsilon(t, 2, rep.Steps[0].Seconds, 0.001, "half of the time")
		require.EqualValues(t, 1600, rep.Steps[0].Operations+rep.Steps[1].Operations)
	})
}

func TestDuetWithoutBaseIsASweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rep, err := newSweep(t, `{"clients": [1], "iterations": 10}`, `sweep.run({ base: undefined, change: () => sleep(1) })`).Run(t.Context())
		require.NoError(t, err)
		require.Len(t, rep.Steps, 1)
		require.Empty(t, rep.Duets)
	})
}

func TestSweepRunRefusesWhatIsNoDuet(t *testing.T) {
	runtime, _ := newModule(t)
	for script, want := range map[string]string{
		`sweep.run({ base: () => 1 })`:                                 `sweep.run({ base, change }): change must be a function, not undefined`,
		`sweep.run({ base: 1, change: () => 1 })`:                      `sweep.run({ base, change }): base must be a function, not 1`,
		`sweep.run({ base: () => 1, change: () => 1, next: () => 1 })`: `sweep.run({ base, change }) takes two functions, and no "next"`,
		`sweep.run(17)`: `sweep.run takes a function, or two as { base, change }, not 17`,
		`sweep.run()`:   `sweep.run takes a function, or two as { base, change }, not undefined`,
	} {
		name, message := thrownBy(t, runtime, script)
		require.Equal(t, "TypeError", name, script)
		require.Equal(t, want, message)
	}
}

func TestDuetsThatEndTheTest(t *testing.T) {
	const run = `sweep.run({ base: () => sleep(1), change: () => sleep(1) })`
	for options, want := range map[string]string{
		`{"find": {"p99": "5ms", "max": 4}, "iterations": 10}`:  "find: a search needs one figure of each step",
		`{"clients": [1], "variants": ["a"], "iterations": 10}`: "variants: these have steps of their own",
	} {
		synctest.Test(t, func(t *testing.T) {
			_, err := newSweep(t, options, run).Run(t.Context())
			var abort *errext.InterruptError
			require.ErrorAs(t, err, &abort)
			require.Equal(t, "sweep.run({ base, change }) cannot go with "+want, abort.Reason)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := newSegment(t, `{"clients": [2], "iterations": 10}`, run, testutil.Tuple(t, "0:1/2", "0,1/2,1"))
		_, err := s.Run(t.Context())
		var abort *errext.InterruptError
		require.ErrorAs(t, err, &abort)
		require.Contains(t, abort.Reason, "execution segments: several instances of k6 would not change over together")
	})
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [2], "iterations": 10}`,
			`sweep.run(vu === 1 ? () => sleep(1) : { base: () => sleep(1), change: () => sleep(1) })`)
		_, err := s.Run(t.Context())
		var abort *errext.InterruptError
		require.ErrorAs(t, err, &abort)
		require.Contains(t, abort.Reason, "some clients of the step take turns between base and change, and others do not")
	})
}

// The error ends the test, because each operation would fail in the same way.
func TestPromisesOfSweepRunEndTheTest(t *testing.T) {
	for call, want := range map[string]string{
		`sweep.run({ base: () => sleep(1), change: async () => sleep(1) })`:             "such as k6/x/resp for Redis",
		`if (vu === 1) sweep.run(async () => sleep(1)); else sweep.run(() => sleep(1))`: "this one returned a promise",
	} {
		for _, warmup := range []string{"0s", "1s"} {
			synctest.Test(t, func(t *testing.T) {
				s := newSweep(t, `{"clients": [2, 1], "iterations": 10, "warmup": "`+warmup+`"}`, call)
				_, err := s.Run(t.Context())
				var abort *errext.InterruptError
				require.ErrorAs(t, err, &abort, call)
				require.Contains(t, abort.Reason, want)
				require.Empty(t, s.Warnings(), call)
			})
		}
	}
}
