package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEvictionsAreMarked(t *testing.T) {
	t.Parallel()
	for module, of := range map[string]struct{ server, variable string }{
		"memcached": {"memcached", "MEMCACHED"}, "resp": {"redis", "REDIS"},
	} {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			env := ownStore(t, of.server, of.variable+"_MEMORY=3", "MEMCACHED_THREADS=1")
			address := strings.TrimPrefix(env[of.variable+"_URL"], "redis://")
			r := k6(t, options{
				script: "testdata/evictions-" + module + ".js", env: map[string]string{"CACHE": address, defaultEnvMachbase: ""},
			})
			require.Equal(t, exitOK, r.code, r.output)
			requireEvictions(t, r.results, address)
		})
	}
}

func requireEvictions(t *testing.T, results, address string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(results, "evictions.json"))
	require.NoError(t, err)
	var rep inside
	require.NoError(t, json.Unmarshal(raw, &rep))
	require.Zero(t, rep.Steps[0].Failed)
	marks := 0
	for _, m := range rep.Marks {
		if m.Kind == "evictions" {
			require.Equal(t, address+" evicted a key", m.Text)
			marks++
		}
	}
	require.Positive(t, marks)
	page, err := os.ReadFile(filepath.Join(results, "evictions.html"))
	require.NoError(t, err)
	require.Regexp(t, `keys? evicted, at most`, string(page))
}
