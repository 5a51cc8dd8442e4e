package sweep_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// index.d.ts declares exactly what scripts can use.
func TestDeclarations(t *testing.T) {
	raw, err := os.ReadFile("index.d.ts")
	require.NoError(t, err)
	text := string(raw)

	_, options, _ := strings.Cut(text, "export interface ClientSweep {")
	options, rest, _ := strings.Cut(options, "\n  }")
	_, find, _ := strings.Cut(rest, "export interface Find {")
	find, _, _ = strings.Cut(find, "\n  }")
	require.ElementsMatch(t, append(jsonKeys(reflect.TypeFor[executor.Config]()),
		"executor", "startTime", "gracefulStop", "env", "exec", "tags"), declared(options))
	require.ElementsMatch(t, jsonKeys(reflect.TypeFor[executor.Find]()), declared(find))

	runtime, _ := newModule(t)
	names, err := runtime.VU.Runtime().RunString(`const names = []; for (const name in sweep) names.push(name); names`)
	require.NoError(t, err)
	var exports []string
	require.NoError(t, runtime.VU.Runtime().ExportTo(names, &exports))
	var functions []string
	for _, match := range regexp.MustCompile(`export function (\w+)`).FindAllStringSubmatch(text, -1) {
		functions = append(functions, match[1])
	}
	require.ElementsMatch(t, exports, functions)
}

func jsonKeys(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("json"); key != "" {
			keys = append(keys, key)
		}
	}

	return keys
}

func declared(body string) []string {
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^    (\w+)\??:`).FindAllStringSubmatch(body, -1) {
		names = append(names, match[1])
	}

	return names
}

func TestMetricsAreDocumented(t *testing.T) {
	registry := metrics.NewRegistry()
	_, err := stream.Register(registry)
	require.NoError(t, err)
	for _, file := range []string{"index.d.ts", "README.md"} {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, metric := range registry.All() {
			require.Contains(t, string(raw), "`"+metric.Name+"`", file)
		}
	}
}
