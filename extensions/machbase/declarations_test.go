package machbase

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/generate"
)

func TestDeclarations(t *testing.T) {
	v := newVU(t, &fakeDriver{})
	v.Run(`var client = new machbase.Client(), objects = {
		Client: client, Statement: client.prepare('x'), Appender: client.appender('t') }`)
	for name, properties := range map[string][]string{"Client": {"driver", "statementCache"}, "Statement": nil, "Appender": nil} {
		body := declaration(t, name)
		keys := v.Run(`(() => { const keys = []; for (const key in objects.` + name + `) keys.push(key); return keys; })()`).([]any)
		require.ElementsMatch(t, keys, append(declaredMethods(body), declaredKeys(properties)...), name)
		for _, property := range properties {
			require.Contains(t, body, "readonly "+property+":", name)
		}
	}

	for name, options := range map[string]reflect.Type{
		"ClientOptions": reflect.TypeFor[options](), "AppenderOptions": reflect.TypeFor[appenderOptions](),
		"StockOptions": reflect.TypeFor[stockOptions](), "RangeOptions": reflect.TypeFor[rangeOptions](),
		"SineOptions":     reflect.TypeFor[sineOptions](),
		"SequenceOptions": reflect.TypeFor[sequenceOptions](),
	} {
		require.ElementsMatch(t, optionKeys(options), declaredOptions(declaration(t, name)), name)
	}
	execKeys := namesOf(execOptions)
	require.Equal(t, execKeys, declaredOptions(declaration(t, "ExecOptions")))
	require.ElementsMatch(t, namesOf(allQueryOptions), append(declaredOptions(declaration(t, "QueryOptions")), execKeys...))
	require.ElementsMatch(t, []string{"accepted", "rejected", "reasons", "other"}, declaredOptions(declaration(t, "Receipt")))
	require.JSONEq(t, `["accepted","other","reasons","rejected"]`, v.JSON(`Object.keys(objects.Appender.sync()).sort()`))
}

func namesOf[T any](options k6x.Options[T]) []string {
	names := make([]string, len(options))
	for i := range options {
		names[i] = options[i].Name
	}

	return names
}

func declaration(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile("index.d.ts")
	require.NoError(t, err)
	body := regexp.MustCompile(`(?s)export (?:class|interface) ` + name + `(?: extends [\w.]+)? \{\n(.*?)\n  \}`).FindStringSubmatch(string(raw))
	require.NotNil(t, body, "%s is not declared", name)

	return body[1]
}

func declaredMethods(body string) []any {
	var names []any
	seen := map[string]bool{"constructor": true}
	for _, match := range regexp.MustCompile(`(?m)^    (\w+)(?:<[^(]*>)?\(`).FindAllStringSubmatch(body, -1) {
		if !seen[match[1]] {
			seen[match[1]] = true
			names = append(names, match[1])
		}
	}

	return names
}

func declaredKeys(names []string) []any {
	var keys []any
	for _, name := range names {
		keys = append(keys, name)
	}

	return keys
}

func declaredOptions(body string) []string {
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^    (\w+)\??:`).FindAllStringSubmatch(body, -1) {
		names = append(names, match[1])
	}

	return names
}

func optionKeys(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		field := t.Field(i)
		switch key := field.Tag.Get("json"); {
		case field.Type == reflect.TypeFor[generate.Options]():
			keys = append(keys, optionKeys(field.Type)...)
		case key != "" && key != "-": // the rest is XK6Sweep.ClientOptions
			keys = append(keys, key)
		}
	}

	return keys
}

func TestEveryOperationHasBothForms(t *testing.T) {
	v := newVU(t, &fakeDriver{})
	v.Run(`var client = new machbase.Client(), objects = [client, client.prepare('x'), client.appender('t')]`)
	names := v.Run(`(() => { const names = []; for (const o of objects) for (const key in o) if (typeof o[key] === 'function') names.push(key); return names; })()`).([]any)
	known := map[string]bool{}
	for _, name := range names {
		known[name.(string)] = true
	}
	for name := range known {
		if plain, ok := strings.CutPrefix(name, "async"); ok {
			require.True(t, known[strings.ToLower(plain[:1])+plain[1:]], name)
		} else if name != "run" { // many operations
			require.True(t, known["async"+strings.ToUpper(name[:1])+name[1:]], name)
		}
	}
}

func TestMetricsAreDocumented(t *testing.T) {
	v := newInitVU(t, &fakeDriver{})
	raw, err := os.ReadFile("index.d.ts")
	require.NoError(t, err)
	own := 0
	for _, metric := range v.VU.InitEnv().Registry.All() {
		if strings.HasPrefix(metric.Name, "machbase_") {
			own++
			require.Contains(t, string(raw), "`"+metric.Name+"`")
		}
	}
	require.Equal(t, 6, own)
}
