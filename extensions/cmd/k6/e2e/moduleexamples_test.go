package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func requireNoFault(t *testing.T, r *run, iterations int) {
	t.Helper()
	require.Equal(t, exitOK, r.code, r.output)
	require.Empty(t, r.lines("level=error"), r.output)
	require.Equal(t, float64(iterations), sum(r.samples(t, "iterations"), nil))
	for _, p := range r.samples(t, "checks") {
		require.Equal(t, 1.0, p.Data.Value, "%s: %v", r.output, p.Data.Tags)
	}
}

func TestExamplesOfCaches(t *testing.T) {
	t.Parallel()
	for file, iterations := range map[string]int{
		"memcached/examples/basic.js": 20, "memcached/examples/pipeline.js": 20,
		"umemcache/examples/get-or-set.js": 800, "umemcache/examples/set-get-delete.js": 400,
	} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			r := k6(t, options{script: "../extensions/" + file, env: cachesEnv(t), args: iterationsOf(2, iterations)})
			requireNoFault(t, r, iterations)
		})
	}
}

func iterationsOf(vus, iterations int) []string {
	return []string{"--vus", strconv.Itoa(vus), "--iterations", strconv.Itoa(iterations)}
}

// natsExample returns the options for an example of k6/x/nats, without Machbase.
func natsExample(t *testing.T, name string, args ...string) options {
	t.Helper()
	url := os.Getenv("NATS_URL")
	require.NotEmpty(t, url, "run the tests with `make test`, or as scripts/servers.sh with nats -- go test ./...")

	return options{
		script: "../extensions/nats/examples/" + name, args: args, env: map[string]string{defaultEnvMachbase: "", "NATS_URL": url},
	}
}

func TestExamplesOfNATS(t *testing.T) {
	t.Parallel()
	for name, iterations := range map[string]int{"core.js": 20, "jetstream.js": 6, "kv.js": 20, "layout.js": 20, "object-store.js": 20, "request-reply.js": 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireNoFault(t, k6(t, natsExample(t, name, iterationsOf(2, iterations)...)), iterations)
		})
	}
}

func TestExampleNATSSweep(t *testing.T) {
	t.Parallel()
	o := natsExample(t, "sweep.js")
	o.binary = binary(t, "k6-xk6")
	requireWholeSweep(t, k6(t, o), "kv", 1000)
}

func requireWholeSweep(t *testing.T, r *run, scenario string, share int) {
	t.Helper()
	require.Equal(t, exitOK, r.code, r.output)
	steps := r.report(t, scenario).Steps
	require.Len(t, steps, 3)
	for i, clients := range []int{1, 8, 32} {
		require.Equal(t, clients, steps[i].Clients)
		require.Equal(t, share*clients, steps[i].Ops)
		require.Zero(t, steps[i].Failed)
		require.True(t, steps[i].Complete)
	}
}

func TestExampleSmoke(t *testing.T) {
	t.Parallel()
	r := k6(t, options{script: "../examples/smoke.js", env: map[string]string{defaultEnvMachbase: ""}})
	require.Equal(t, exitOK, r.code, r.output)
	require.Equal(t, float64((1+4)*50), sum(r.samples(t, "sweep_ops"), nil))
}

func TestEveryExampleHasATest(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Glob(filepath.Join(root, "extensions/*/examples/*.js"))
	require.NoError(t, err)
	ofRoot, err := filepath.Glob(filepath.Join(root, "examples/*.[jt]s"))
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	require.NotEmpty(t, ofRoot)
	sources, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	var tests strings.Builder
	for _, source := range sources {
		text, err := os.ReadFile(source)
		require.NoError(t, err)
		tests.Write(text)
	}
	for _, example := range append(examples, ofRoot...) {
		name := strings.TrimSuffix(filepath.Base(example), filepath.Ext(example))
		require.Regexp(t, `[/"`+"`"+`]`+regexp.QuoteMeta(name)+`(\.[jt]s)?["`+"`"+`]`, tests.String(), example)
	}
}
