package jsmodule_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/internal/sweeptest"
)

func TestSettingIsOfTheCommandLineOrPrefixed(t *testing.T) {
	runtime, _ := sweeptest.NewModule(t)
	exported := map[string]string{"SECONDS": "true", "CONFIG": "/etc", "SWEEP_CONFIG": "small", "NATS_URL": "nats://h"}
	runtime.VU.InitEnvField.LookupEnv = func(name string) (string, bool) { value, is := exported[name]; return value, is }
	require.Equal(t, []any{nil, "small", "nats://h", nil}, evaluate(t, runtime, `(
		globalThis.__ENV = { SECONDS: 'true', CONFIG: '/etc', SWEEP_CONFIG: 'small', NATS_URL: 'nats://h' },
		[sweep.setting('SECONDS') ?? null, sweep.setting('CONFIG'), sweep.setting('NATS_URL', { environment: 'NATS_URL' }), sweep.setting('NATS_URL') ?? null])`))
	require.Equal(t, []any{"5", "big"}, evaluate(t, runtime, `(
		globalThis.__ENV = { SECONDS: '5', CONFIG: 'big', SWEEP_CONFIG: 'small' },
		[sweep.setting('SECONDS'), sweep.setting('CONFIG')])`))
	for script, want := range map[string]string{
		`sweep.setting()`:                        "sweep.setting(name) takes the name of a setting, not undefined",
		`sweep.setting(5)`:                       "sweep.setting(name) takes the name of a setting, not 5",
		`sweep.setting('A', { environ: 'A' })`:   `sweep.setting: unknown option "environ"; known is environment`,
		`sweep.setting('A', { environment: 1 })`: "sweep.setting: option environment must be a string, not a number",
	} {
		name, message := sweeptest.ThrownBy(t, runtime, script)
		require.Equal(t, "TypeError", name)
		require.Equal(t, want, message)
	}
}

func TestStepOfNone(t *testing.T) {
	runtime, _ := sweeptest.NewModule(t)
	require.Nil(t, evaluate(t, runtime, `sweep.step()`))
}

// Errors have the same properties in all modules.
func TestSweepErrorHasAKind(t *testing.T) {
	runtime, _ := sweeptest.NewModule(t)
	inFolder(runtime, t.TempDir())
	for script, want := range map[string]string{
		`sweep.done()`:             "usage",
		`sweep.gates('none.json')`: "not_found",
	} {
		require.Equal(t, []any{"SweepError", want, int64(0)}, evaluate(t, runtime,
			`(() => { try { `+script+` } catch (e) { return [e.name, e.kind, e.code] } })()`), script)
	}
}
