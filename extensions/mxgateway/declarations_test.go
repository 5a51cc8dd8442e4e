package mxgateway

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDeclarations(t *testing.T) {
	v := newInitVU(t, New(), "127.0.0.1:1")
	v.Run(`var objects = { Client: new mxgateway.Client(options), Tally: new mxgateway.Tally('t') }`)
	for _, name := range []string{"Client", "Tally"} {
		keys, err := v.JS.RunString(`(() => { const keys = []; for (const key in objects.` + name + `) keys.push(key); return keys; })()`)
		require.NoError(t, err)
		require.ElementsMatch(t, keys.Export(), declared(t, name, `(?m)^    (\w+)(?:<[^(]*>)?\(`, "constructor"), name)
	}
	for name, options := range map[string]reflect.Type{
		"ClientOptions": reflect.TypeFor[options](), "ReadOptions": reflect.TypeFor[readOptions](),
		"RunOptions": reflect.TypeFor[runOptions](), "Summary": reflect.TypeFor[summary](),
	} {
		var keys []any
		for _, field := range reflect.VisibleFields(options) {
			inherited := len(field.Index) > 1 || field.Name == "Tags" || name == "RunOptions" && field.Name == "Wait"
			if key := field.Tag.Get("json"); key != "" && !inherited {
				keys = append(keys, key)
			}
		}
		require.ElementsMatch(t, keys, declared(t, name, `(?m)^    (\w+)\??:`), name)
	}
}

func declared(t *testing.T, name, pattern string, but ...string) (names []any) {
	t.Helper()
	raw, err := os.ReadFile("index.d.ts")
	require.NoError(t, err)
	body := regexp.MustCompile(`(?s)export (?:class|interface) ` + name + `(?: extends [\w.]+)? \{\n(.*?)\n  \}`).FindStringSubmatch(string(raw))
	require.NotNil(t, body, "%s is not declared", name)
	seen := map[string]bool{}
	for _, one := range but {
		seen[one] = true
	}
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(body[1], -1) {
		if !seen[match[1]] {
			seen[match[1]] = true
			names = append(names, match[1])
		}
	}

	return names
}

func TestMetricsAreDocumented(t *testing.T) {
	v := newInitVU(t, New(), "127.0.0.1:1")
	raw, err := os.ReadFile("index.d.ts")
	require.NoError(t, err)
	own := 0
	for _, metric := range v.VU.InitEnv().Registry.All() {
		if strings.HasPrefix(metric.Name, "mxgateway_") {
			own++
			require.Contains(t, string(raw), "`"+metric.Name+"`")
		}
	}
	require.Equal(t, 6, own)
}
