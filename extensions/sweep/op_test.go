package sweep_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

func TestAnOpThatTheOptionsDoNotNameEndsTheTest(t *testing.T) {
	for script, want := range map[string]string{
		`sweep.run(() => sweep.op('a_slwo', () => sleep(5)))`:               "sweep.op('a_slwo'): the option opNames has no such name, but a_slow, get; did you mean 'a_slow'?",
		`sweep.op('gets', () => sleep(5))`:                                  "sweep.op('gets'): the option opNames has no such name, but a_slow, get; did you mean 'get'?",
		`sweep.run(() => sweep.op('get', () => sweep.op('x', () => {})))`:   "sweep.op('x'): the option opNames has no such name, but a_slow, get",
		`sweep.run(() => { try { sweep.op('x', () => {}) } catch (e) {} })`: "sweep.op('x'): the option opNames has no such name, but a_slow, get",
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newSweep(t, `{"clients": [3, 1], "iterations": 10, "opNames": ["a_slow", "get"]}`, script)
			rep, err := s.Run(t.Context())
			var abort *errext.InterruptError
			require.ErrorAs(t, err, &abort)
			require.Equal(t, want, abort.Reason)
			for _, step := range rep.Steps {
				require.Equal(t, 3, step.Clients, "no further step")
				require.Zero(t, step.Operations+int64(step.Failed))
			}
		})
	}
}

func TestOpsThatTheOptionsName(t *testing.T) {
	for _, config := range []string{
		`{"clients": [2], "iterations": 10, "opNames": ["a", "b"]}`,
		`{"clients": [2], "iterations": 10, "opNames": ["a"], "op": "b"}`,
		`{"clients": [2], "iterations": 10}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newSweep(t, config, `sweep.run(() => { sweep.op('a', () => sleep(5)); sweep.op('b', () => sleep(5)) })`)
			rep, err := s.Run(t.Context())
			require.NoError(t, err)
			require.Len(t, rep.Steps, 2)
		})
	}
}

// During an operation, modules see its name; the innermost one if nested.
func TestModulesSeeTheOperation(t *testing.T) {
	runtime, _ := newModule(t)
	clientOf(t.Context(), runtime)
	session := k6x.SessionOf(runtime.VU)
	var seen []string
	require.NoError(t, runtime.VU.Runtime().Set("look", func() { seen = append(seen, fmt.Sprint(session.Op, " ", session.Named)) }))
	_, err := runtime.VU.Runtime().RunString(`look();
		sweep.op('a', () => { look(); sweep.op('b', look); look(); });
		try { sweep.op('c', () => { look(); throw new Error('broken') }) } catch (e) { look() }`)
	require.NoError(t, err)
	require.Equal(t, []string{"get false", "a true", "b true", "a true", "c true", "get false"}, seen)
}

func TestOpOutsideOfSweeps(t *testing.T) {
	runtime, _ := newModule(t)
	name, message := thrownBy(t, runtime, `sweep.op('early', () => {})`)
	require.Equal(t, "TypeError: sweep.op times nothing in the init context; call it in a scenario's function, in setup() or teardown()",
		name+": "+message)

	samples := make(chan metrics.SampleContainer, 10)
	tags := lib.NewVUStateTags(runtime.VU.InitEnvField.Registry.RootTagSet().With("scenario", "users"))
	runtime.MoveToVUContext(&lib.State{Tags: tags, Samples: samples, Options: lib.Options{SystemTags: &metrics.DefaultSystemTagSet}})
	end, cancel := context.WithCancelCause(t.Context())
	runtime.VU.CtxField = end
	require.NoError(t, runtime.VU.Runtime().Set("end", func() { cancel(errors.New("Ctrl-C")) }))
	_, err := runtime.RunOnEventLoop(`(async () => {
		sweep.op('a', () => sweep.op('b', () => {}));
		try { sweep.op('c', () => { throw new Error('broken') }) } catch (e) {}
		await sweep.op('d', async () => { await null });
		sweep.op('cut off', end);
	})()`)
	require.NoError(t, err)
	close(samples)
	var all []string
	for container := range samples {
		for _, s := range container.GetSamples() {
			require.Equal(t, "users", s.Tags.Map()["scenario"])
			value := fmt.Sprint(s.Value)
			if s.Metric.Type == metrics.Trend {
				require.GreaterOrEqual(t, s.Value, 0.0)
				value = "ms"
			}
			op, outcome, why := s.Tags.Map()["op"], s.Tags.Map()["outcome"], s.Metadata["error"]
			all = append(all, strings.Join([]string{s.Metric.Name, op, outcome, why, value}, " "))
		}
	}
	require.Equal(t, []string{
		"sweep_op_duration b ok  ms", "sweep_op_failed b   0", "sweep_op_duration a ok  ms", "sweep_op_failed a   0",
		"sweep_op_duration c failed Error: broken ms", "sweep_op_failed c  Error: broken 1",
		"sweep_op_duration d ok  ms", "sweep_op_failed d   0",
	}, all)
}
