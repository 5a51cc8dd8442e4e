package executor

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// Each VU registers the same scenarios; they are steps of one sweep.
func TestStepsOfAPortableSweep(t *testing.T) {
	run := testrun.Of(metrics.NewRegistry())
	var sweep *portableSweep
	for range 2 {
		config, err := Read("look", []byte(`{"clients": [1, 8], "duration": "5s", "repeats": 2}`))
		require.NoError(t, err)
		scenarios, err := Portable(config, run)
		require.NoError(t, err)
		require.Len(t, scenarios, 4)
		for name := range scenarios {
			step := PortableStepOf(lib.WithScenarioState(t.Context(), &lib.ScenarioState{Name: name}), run)
			require.NotNil(t, step, name)
			if sweep == nil {
				sweep = step.sweep
			}
			require.Same(t, sweep, step.sweep)
		}
	}
	require.Len(t, sweep.steps, 4)
	require.Empty(t, PortableWithout(run, lib.ScenarioConfigs{"look-1-1": nil}))
	require.Equal(t, []string{"look"}, PortableWithout(run, lib.ScenarioConfigs{"other": nil}))
}
