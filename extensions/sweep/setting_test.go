package sweep_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// settingsIn evaluates a script with variables of __ENV; those in exported are of the environment.
func settingsIn(t *testing.T, script string, env map[string]string, exported ...string) (any, error) {
	t.Helper()
	runtime, _ := newModule(t)
	runtime.VU.InitEnvField.LookupEnv = func(name string) (string, bool) {
		value, is := env[name]

		return value, is && slices.Contains(exported, name)
	}
	require.NoError(t, runtime.VU.Runtime().Set("__ENV", env))
	value, err := runtime.VU.Runtime().RunString("JSON.stringify(" + script + ")")
	if err != nil {
		return nil, err
	}

	return value.Export(), nil
}

func TestOwnSettings(t *testing.T) {
	const all = `sweep.settings({ KEYS: 1000, PART: { type: 'number' }, SIZE: { type: 'bytes', usual: 100, to: 2048 }, TIMEOUT: '60s',
		HOLD: { usual: '10s', from: 0 }, REUSE: { type: 'flag' }, KEEP: false, CLIENTS: [1, 8], KIND: ['a', 'b'], WORK: { someOf: ['x', 'y'] },
		MIX: { sharesOf: ['get', 'set'], usual: 'set:9,get:91' }, NATS_URL: 'nats://h', NAME: null })`
	usual, err := settingsIn(t, all, nil)
	require.NoError(t, err)
	require.Equal(t, `{"KEYS":1000,"SIZE":100,"TIMEOUT":"60s","HOLD":"10s","KEEP":false,"CLIENTS":[1,8],"KIND":"a","WORK":["x","y"],`+
		`"MIX":{"set":9,"get":91},"NATS_URL":"nats://h"}`, usual)
	given, err := settingsIn(t, all, map[string]string{
		"KEYS": "7", "PART": "0.5", "SIZE": "1.5KiB", "TIMEOUT": "1m30s", "HOLD": "0s", "REUSE": "true", "KEEP": "1", "CLIENTS": "2, 4", "KIND": "b",
		"WORK": "y", "MIX": "get:1", "NATS_URL": "nats://i", "NAME": "n",
	})
	require.NoError(t, err)
	require.Equal(t, `{"KEYS":7,"PART":0.5,"SIZE":1536,"TIMEOUT":"1m30s","HOLD":"0s","REUSE":true,"KEEP":true,"CLIENTS":[2,4],"KIND":"b","WORK":["y"],`+
		`"MIX":{"get":1},"NATS_URL":"nats://i","NAME":"n"}`, given)

	for _, tt := range []struct{ name, value, accepts string }{
		{"KEYS", "0", "an integer from 1"},
		{"KEYS", "1.5", "an integer from 1"},
		{"PART", "-1", "a number from 0"},
		{"SIZE", "3KB", "a size such as 100, 1KB or 1MiB, from 1 to 2048"},
		{"SIZE", "1XB", "a size such as 100, 1KB or 1MiB, from 1 to 2048"},
		{"TIMEOUT", "0s", "a duration such as 30s, 1m30s or 500ms, more than 0"},
		{"TIMEOUT", "5", "a duration such as 30s, 1m30s or 500ms, more than 0"},
		{"HOLD", "x", "a duration such as 30s, 1m30s or 500ms"},
		{"REUSE", "maybe", "true or false"},
		{"CLIENTS", "1,,2", "integers from 1 with commas between them"},
		{"KIND", "c", "one of a, b"},
		{"WORK", "x,x", "all, or some of x, y with commas between them"},
		{"MIX", "touch:1", "shares of get, set, such as get:1"},
	} {
		_, err := settingsIn(t, all, map[string]string{tt.name: tt.value})
		require.ErrorContains(t, err, tt.name+" must be "+tt.accepts+`, but is "`+tt.value+`"`)
	}
}

func TestOwnSettingsOfTheEnvironment(t *testing.T) {
	const script = `sweep.settings({ KEYS: 1, SECONDS: false, NATS_URL: 'nats://h', NATS_BUCKET: 'b' })`
	env := map[string]string{"KEYS": "5", "SWEEP_SECONDS": "true", "SECONDS": "x", "NATS_URL": "nats://i", "NATS_BUCKET": "c", "KEY": "x", "CLIENT": "x"}
	got, err := settingsIn(t, script, env, "SWEEP_SECONDS", "SECONDS", "NATS_URL", "NATS_BUCKET", "KEY", "CLIENT")
	require.NoError(t, err)
	require.Equal(t, `{"KEYS":5,"SECONDS":true,"NATS_URL":"nats://i","NATS_BUCKET":"c"}`, got)
	for name, meant := range map[string]string{
		"SWEEP_KEY": "SWEEP_KEYS", "SWEEP_CLIENT": "SWEEP_CLIENTS", "NATS_ULR": "NATS_URL", "SWEEP_NATS_URL": "NATS_URL", "SWEEP_SECOND": "SWEEP_SECONDS",
	} {
		_, err := settingsIn(t, script, map[string]string{name: "1"}, name)
		require.ErrorContains(t, err, "nothing in the script reads the setting "+name+"; did you mean "+meant+"?")
	}
	_, err = settingsIn(t, script, map[string]string{"SWEEP_COLOUR": "1", "NATS_SERVICE_HOST": "h"}, "SWEEP_COLOUR", "NATS_SERVICE_HOST")
	require.NoError(t, err)
}

func TestSettingsOfABase(t *testing.T) {
	const script = `sweep.settings({ REDIS_URL: 'a', TIMEOUT: '5s', LIST: null, KEYS: 1 }, { base: ['REDIS_URL', 'TIMEOUT', 'LIST'] }).base ?? null`
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{nil, `null`},
		{map[string]string{"KEYS": "2", "BASE_URL": "b"}, `{"REDIS_URL":"b","TIMEOUT":"5s","KEYS":2,"BASE_URL":"b"}`},
		{map[string]string{"BASE_REDIS_URL": "b"}, `{"REDIS_URL":"b","TIMEOUT":"5s","KEYS":1,"BASE_URL":""}`},
		{map[string]string{"BASE": "LIST=x,y,TIMEOUT=1s"}, `{"REDIS_URL":"a","TIMEOUT":"1s","LIST":"x,y","KEYS":1,"BASE_URL":""}`},
	} {
		got, err := settingsIn(t, script, tt.env)
		require.NoError(t, err)
		require.Equal(t, tt.want, got)
	}
	for _, tt := range []struct {
		env  map[string]string
		says string
	}{
		{map[string]string{"BASE": "KEYS=2"}, `BASE must be settings with commas between them, such as TIMEOUT=value, of TIMEOUT, LIST, but is "KEYS=2"`},
		{map[string]string{"BASE": "timeout"}, `but is "timeout"`},
		{map[string]string{"BASE": "TIMEOUT=x"}, `TIMEOUT of BASE must be a duration such as`},
		{map[string]string{"BASE_URL": "b", "BASE_REDIS_URL": "c"}, "BASE_URL and BASE_REDIS_URL exclude each other: set one of them"},
	} {
		_, err := settingsIn(t, script, tt.env)
		require.ErrorContains(t, err, tt.says)
	}
}

func TestWrongDeclarationsOfSettings(t *testing.T) {
	runtime, _ := newModule(t)
	for script, want := range map[string]string{
		`sweep.settings()`:                                         "sweep.settings: takes settings and their defaults, such as { KEYS: 1000 }, not undefined",
		`sweep.settings({ A: { type: 'colour' } })`:                `sweep.settings: A: there is no type "colour": it must be bytes, duration, flag, integer, integers, number or text`,
		`sweep.settings({ A: { usuel: 1 } })`:                      `sweep.settings: A: unknown option "usuel"`,
		`sweep.settings({ A: 1 }, { base: ['B'] })`:                "sweep.settings: base: B is no setting of this script",
		`sweep.settings({ A: { sharesOf: ['x'], usual: 'y:1' } })`: "sweep.settings: A: usual must be shares of x",
	} {
		name, message := thrownBy(t, runtime, script)
		require.Equal(t, "TypeError", name)
		require.Contains(t, message, want)
	}
}

func TestStepOfNone(t *testing.T) {
	runtime, _ := newModule(t)
	require.Nil(t, evaluate(t, runtime, `sweep.step()`))
}

// Errors have the same properties in all modules.
func TestSweepErrorHasAKind(t *testing.T) {
	runtime, _ := newModule(t)
	inFolder(runtime, t.TempDir())
	for script, want := range map[string]string{
		`sweep.done()`:             "usage",
		`sweep.gates('none.json')`: "not_found",
	} {
		require.Equal(t, []any{"SweepError", want, int64(0)}, evaluate(t, runtime,
			`(() => { try { `+script+` } catch (e) { return [e.name, e.kind, e.code] } })()`), script)
	}
}
