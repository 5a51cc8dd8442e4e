package k6glue

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOverridingNamesTheOption(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(config, []byte(`{"vus": 3, "duration": "1s"}`), 0o600))
	for _, tt := range []struct{ line, environment, config, want string }{
		{line: "k6 run --duration 3s x.js", want: "--duration"},
		{line: "k6 run x.js -d3s", want: "--duration"},
		{line: "k6 run -qvi 3 x.js", want: "--iterations"},
		{line: "k6 run --stage=1s:3 x.js", environment: "K6_VUS=3", want: "--stage"},
		{line: "k6 run -e DURATION=3s --out json=-u x.js", environment: "K6_STAGES=1s:3", want: "K6_STAGES"},
		{line: "k6 run -e VUS=3 --user-agent u x.js", environment: "K6_VUS=3", config: config, want: "K6_VUS"},
		{line: "k6 run x.js", environment: "K6_VUS=", config: config, want: "vus in " + config},
		{line: "k6 run x.js -- -u", config: "none.json", want: "vus in the script's options"},
	} {
		lookup := func(name string) (string, bool) { return strings.CutPrefix(tt.environment, name+"=") }
		require.Equal(t, tt.want, overriding(strings.Fields(tt.line), lookup, tt.config), tt.line)
	}
}
