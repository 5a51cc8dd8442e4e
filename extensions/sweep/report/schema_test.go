package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(SchemaJSON))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.AssertContent()
	require.NoError(t, c.AddResource("report.json", doc))
	schema, err := c.Compile("report.json")
	require.NoError(t, err)

	return schema
}

func TestReportsAreOfTheSchema(t *testing.T) {
	schema := compiledSchema(t)
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(jsonOf(t, r)))
			require.NoError(t, err)
			require.NoError(t, schema.Validate(doc))
		})
	}
}

func TestSchemaRefuses(t *testing.T) {
	schema := compiledSchema(t)
	base := madeUp(func(r *Report) { r.Search = &Search{Of: "clients", Bound: "p99 <= 5ms", Max: 8} })
	for _, tt := range []struct {
		name     string
		old, new string
	}{
		{"another schema", `"xk6-sweep/1"`, `"xk6-sweep/2"`},
		{"an unknown key", `"k6":`, `"k7": 1, "k6":`},
		{"an unknown key of a step", `"repeat": 1`, `"repeat": 1, "reps": 1`},
		{"a missing key", `"complete": true,`, ``},
		{"a wrong type", `"ops": 80000`, `"ops": "80000"`},
		{"no integer", `"failed": 0`, `"failed": 0.5`},
		{"no clients", `"clients": 8,` + "\n      \"repeat\"", `"clients": 0,` + "\n      \"repeat\""},
		{"no repeat", `"repeat": 1`, `"repeat": 0`},
		{"a negative number", `"seconds": 10.3`, `"seconds": -10.3`},
		{"no op", `"op": "stock-rollup"`, `"op": ""`},
		{"no scenario", `"scenario": "stock-rollup"`, `"scenario": ""`},
		{"no time", "2026-03-01T12:30:00.25Z", "yesterday"},
		{"null", `"steps": [`, `"gates": null, "steps": [`},
		{"a search for something else", `"of": "clients"`, `"of": "rows"`},
		{"no base64", `"histogram": "HIST`, `"histogram": "?IST`},
		{"an empty histogram", `"p75": 9.25,` + "\n        \"histogram\": \"HIST", `"p75": 9.25,` + "\n        \"histogram\": \"\", \"x\": \"HIST"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := jsonOf(t, base)
			require.Contains(t, out, tt.old)
			broken := strings.Replace(out, tt.old, tt.new, 1)
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(broken))
			require.NoError(t, err)
			require.Error(t, schema.Validate(doc))
			_, err = Read([]byte(broken))
			require.Error(t, err)
		})
	}
}

func TestSchemaAndStructsAgree(t *testing.T) {
	var root map[string]any
	require.NoError(t, json.Unmarshal(SchemaJSON, &root))
	described := map[string]string{}
	describe(t, root, root, "", described)
	inStructs := map[string]string{}
	keysOf(reflect.TypeFor[Report](), "", inStructs)
	require.Equal(t, inStructs, described)
	require.Greater(t, len(described), 60)

	used := map[string]bool{}
	collectRefs(root, used)
	for name := range root["$defs"].(map[string]any) {
		require.True(t, used["#/$defs/"+name], "%s is not used", name)
	}
}

// describe collects the schema's type of each key, by path.
func describe(t *testing.T, root, node map[string]any, path string, out map[string]string) {
	t.Helper()
	require.NotEmpty(t, node["description"], "%s has no description", path)
	if name, ok := node["$ref"].(string); ok {
		node = root["$defs"].(map[string]any)[strings.TrimPrefix(name, "#/$defs/")].(map[string]any)
	}
	if items, ok := node["items"].(map[string]any); ok {
		ref, ok := items["$ref"].(string)
		if !ok { // a list of numbers
			return
		}
		name := strings.TrimPrefix(ref, "#/$defs/")
		describe(t, root, root["$defs"].(map[string]any)[name].(map[string]any), path, out)

		return
	}
	properties, ok := node["properties"].(map[string]any)
	if !ok {
		return
	}
	require.Equal(t, false, node["additionalProperties"], path)
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		property := properties[key].(map[string]any)
		out[path+"/"+key] = fmt.Sprintf("%s, optional %t", typeOf(root, property), !slices.Contains(node["required"].([]any), any(key)))
		describe(t, root, property, path+"/"+key, out)
	}
}

func typeOf(root, node map[string]any) string {
	if name, ok := node["$ref"].(string); ok {
		node = root["$defs"].(map[string]any)[strings.TrimPrefix(name, "#/$defs/")].(map[string]any)
	}
	if node["const"] != nil {
		return "string"
	}

	return node["type"].(string)
}

// keysOf collects the keys of a struct in the form of describe.
func keysOf(t reflect.Type, path string, out map[string]string) {
	switch {
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer:
		keysOf(t.Elem(), path, out)
	case t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]():
		for i := range t.NumField() {
			if t.Field(i).Anonymous {
				keysOf(t.Field(i).Type, path, out)

				continue
			}
			key, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if key == "-" {
				continue
			}
			out[path+"/"+key] = fmt.Sprintf("%s, optional %t", jsonType(t.Field(i).Type), options != "")
			keysOf(t.Field(i).Type, path+"/"+key, out)
		}
	}
}

func jsonType(t reflect.Type) string {
	switch t.Kind() { //nolint:exhaustive // the others are integers
	case reflect.Pointer:
		return jsonType(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	case reflect.Map:
		return "object"
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return "string"
		}

		return "object"
	}

	return "integer"
}

func collectRefs(node any, used map[string]bool) {
	switch n := node.(type) {
	case map[string]any:
		if name, ok := n["$ref"].(string); ok {
			used[name] = true
		}
		for _, v := range n {
			collectRefs(v, used)
		}
	case []any:
		for _, v := range n {
			collectRefs(v, used)
		}
	}
}
