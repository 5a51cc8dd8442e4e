package sweep_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/jsmodule"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// newModule returns a testVU whose scripts have the module as the global sweep.
func newModule(t *testing.T) (*modulestest.Runtime, *testrun.Results) {
	t.Helper()
	runtime := modulestest.NewRuntime(t)
	instance := jsmodule.New().NewModuleInstance(runtime.VU)
	require.NoError(t, runtime.VU.Runtime().Set("sweep", instance.Exports().Default))

	return runtime, testrun.Of(runtime.VU.InitEnvField.Registry)
}

// invalidConfig is the name that thrownBy gives to an error that ends k6.
const invalidConfig = "invalid configuration"

// thrownBy returns name and message of the script's exception. For an invalid configuration, which
// scripts cannot catch, the name is invalidConfig.
func thrownBy(t *testing.T, runtime *modulestest.Runtime, script string) (name, message string) {
	t.Helper()
	value, err := runtime.VU.Runtime().RunString(
		`(() => { try { ` + script + ` } catch (e) { return [e.name, e.message] } return ["nothing", "thrown"] })()`)
	var code errext.HasExitCode
	if errors.As(err, &code) {
		require.Equal(t, exitcodes.InvalidConfig, code.ExitCode(), err)
		message, _, _ = strings.Cut(code.Error(), "\n") // without the position

		return invalidConfig, message
	}
	require.NoError(t, err)
	var thrown [2]string
	require.NoError(t, runtime.VU.Runtime().ExportTo(value, &thrown))

	return thrown[0], thrown[1]
}

// registerDurations registers a module's metric of single durations.
func registerDurations(t *testing.T) {
	t.Helper()
	runtime, _ := newModule(t)
	env := runtime.VU.InitEnvField
	env.BuiltinMetrics = metrics.RegisterBuiltinMetrics(env.Registry)
	_, err := k6x.NewDurations(env.Registry, "cache_op_duration")
	require.NoError(t, err)
}
