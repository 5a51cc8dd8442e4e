package k6x

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/lib"
)

// An exported variable with a setting's short name counts only if -e sets it too.
func TestSetting(t *testing.T) {
	in := func(env map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) { value, is := env[name]; return value, is }
	}
	environment := map[string]string{"CLIENTS": "7", "SECONDS": "true", "SWEEP_SECONDS": "5", "NATS_URL": "nats://h"}
	test := &lib.TestPreInitState{LookupEnv: in(environment)}
	defer process.Store(process.Load())
	for _, tt := range []struct{ line, flag, name, environment, want string }{
		{"k6 run x.js", "", "CLIENTS", "", "none"},
		{"k6 run x.js", "", "SECONDS", "", "5"},
		{"k6 run -e SECONDS=9 x.js", "SECONDS=9", "SECONDS", "", "9"},
		{"k6 run -e SECONDS= x.js", "SECONDS=", "SECONDS", "", ""},
		{"k6 run -e CLIENTS=7 x.js", "CLIENTS=7", "CLIENTS", "", "7"},
		{"k6 run -qe CLIENTS=7 x.js", "CLIENTS=7", "CLIENTS", "", "7"},
		{"k6 run -eCLIENTS=7 x.js", "CLIENTS=7", "CLIENTS", "", "7"},
		{"k6 run --env CLIENTS=7 x.js", "CLIENTS=7", "CLIENTS", "", "7"},
		{"k6 run --env=CLIENTS=7 x.js", "CLIENTS=7", "CLIENTS", "", "7"},
		{"k6 run --tag CLIENTS=7 x.js", "", "CLIENTS", "", "none"},
		{"k6 run x.js", "", "NATS_URL", "NATS_URL", "nats://h"},
		{"k6 run -e NATS_URL=nats://i x.js", "NATS_URL=nats://i", "NATS_URL", "NATS_URL", "nats://i"},
		{"k6 run x.js", "", "NATS_URL", "", "none"},
		{"k6 run x.js", "", "OTHER", "", "none"},
	} {
		args := strings.Fields(tt.line)
		process.Store(&state.GlobalState{CmdArgs: args})
		env := maps.Clone(environment)
		if name, value, is := strings.Cut(tt.flag, "="); is {
			env[name] = value
		}
		got, is := Setting(in(env), test, tt.name, tt.environment)
		if !is {
			got = "none"
		}
		require.Equal(t, tt.want, got, tt.line)
	}
	process.Store(nil)
	got, is := Setting(in(map[string]string{"CLIENTS": "8"}), test, "CLIENTS", "")
	require.True(t, is)
	require.Equal(t, "8", got, "another value than the environment's can only be that of -e, or of an archive")
	got, is = Setting(in(map[string]string{"CLIENTS": "8"}), &lib.TestPreInitState{}, "CLIENTS", "")
	require.True(t, is)
	require.Equal(t, "8", got)
}
