package sweep

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

// Each VU of a run makes the same scenarios: they are steps of one sweep.
func TestStepsOfAPortableSweep(t *testing.T) {
	run := resultsOf(metrics.NewRegistry())
	var sweep *portableSweep
	for range 2 {
		config, err := newConfig("look", []byte(`{"clients": [1, 8], "duration": "5s", "repeats": 2}`))
		require.NoError(t, err)
		scenarios, err := portableScenarios(config, run)
		require.NoError(t, err)
		require.Len(t, scenarios, 4)
		for name := range scenarios {
			step := portableStepOf(run, name)
			require.NotNil(t, step, name)
			if sweep == nil {
				sweep = step.sweep
			}
			require.Same(t, sweep, step.sweep)
		}
	}
	require.Len(t, sweep.steps, 4)
	require.Empty(t, portableWithout(run, lib.ScenarioConfigs{"look-1-1": nil}))
	require.Equal(t, []string{"look"}, portableWithout(run, lib.ScenarioConfigs{"other": nil}))
}
