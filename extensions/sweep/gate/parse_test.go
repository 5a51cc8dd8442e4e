package gate

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const (
	absolute = `"absolute": [{"op": "get", "maxP99Ms": 5}]`
	relative = `"relative": {"baseline": "baselines/cache.json", "p99MayRise": 0.25}`
)

// files are thresholds files, good ones without an error. The schema finds what is wrong with a bad
// one, but for those that are for Parse alone.
var files = []struct {
	name, raw, wrong string
	alone            bool
}{
	{name: "absolute", raw: `{"scenario": "cache", ` + absolute + `}`},
	{name: "relative", raw: `{"scenario": "cache", ` + relative + `}`},
	{name: "both", raw: `{"$schema": "s.json", "scenario": "cache", ` + absolute + `, ` + relative + `}`},
	{name: "every key", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 8, "rate": 0.5, "minOpsPerSecond": 1,
		"maxP50Ms": 1, "maxP90Ms": 2, "maxP95Ms": 2, "maxP99Ms": 3, "maxP999Ms": 4, "maxMeanMs": 0.1}],
		"relative": {"baseline": "b.json", "opsPerSecondMayFall": 0.999, "p50MayRise": 3, "p90MayRise": 2,
			"p95MayRise": 2, "p99MayRise": 1, "p999MayRise": 9.5, "meanMayRise": 0.2, "alpha": 0.01}}`},
	{name: "a whole number with a point", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 8.0, "maxP99Ms": 5}]}`},
	{name: "several of one operation", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 8, "maxP99Ms": 5},
		{"op": "get", "maxP99Ms": 5}, {"op": "get", "clients": 8, "rate": 9, "maxP99Ms": 5}, {"op": "get", "maxP50Ms": 5}]}`},

	{name: "an array", raw: `[]`, wrong: `the file must be an object with the keys $schema, scenario, absolute, relative`},
	{name: "null", raw: `null`, wrong: `the file must be an object`},
	{name: "nothing", raw: `{}`, wrong: `scenario is missing: it must be the name of the scenario`},
	{name: "no gates", raw: `{"scenario": "cache"}`, wrong: `there are no gates: the file must have "absolute", "relative" or both`},
	{name: "unknown key", raw: `{"scenario": "cache", "absolut": []}`, wrong: `the file: unknown key "absolut"; known are $schema, scenario`},
	{name: "key in capitals", raw: `{"Scenario": "cache", ` + absolute + `}`, wrong: `the file: unknown key "Scenario"`},
	{name: "schema of a wrong type", raw: `{"$schema": 1, "scenario": "cache", ` + absolute + `}`, wrong: `$schema is 1: it must be`},
	{name: "scenario empty", raw: `{"scenario": "", ` + absolute + `}`, wrong: `scenario is "": it must be the name`},
	{name: "scenario null", raw: `{"scenario": null, ` + absolute + `}`, wrong: `scenario is null`},
	{name: "absolute empty", raw: `{"scenario": "cache", "absolute": []}`, wrong: `absolute is []: it must be an array of 1 to 1000 gates`},
	{name: "absolute null", raw: `{"scenario": "cache", "absolute": null}`, wrong: `absolute is null: it must be an array`},
	{name: "absolute not an array", raw: `{"scenario": "cache", "absolute": {}}`, wrong: `absolute is {}: it must be an array`},
	{name: "a gate null", raw: `{"scenario": "cache", "absolute": [null]}`, wrong: `absolute[0] must be an object with the keys op,`},
	{name: "too many gates", raw: `{"scenario": "cache", "absolute": [` + strings.Repeat(`1,`, 1000) + `1]}`,
		wrong: `absolute is [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1...: it must be an array of 1 to 1000`},
	{name: "op missing", raw: `{"scenario": "cache", "absolute": [{"maxP99Ms": 5}]}`, wrong: `absolute[0].op is missing`},
	{name: "op of a wrong type", raw: `{"scenario": "cache", "absolute": [{"op": ["get"], "maxP99Ms": 5}]}`, wrong: `absolute[0].op is ["get"]: it must be the name`},
	{name: "no bound", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 1}]}`,
		wrong: `absolute[0] bounds nothing: it must have one of minOpsPerSecond, maxP50Ms, maxP90Ms, maxP95Ms, maxP99Ms, maxP999Ms, maxMeanMs`},
	{name: "unknown bound", raw: `{"scenario": "cache", "absolute": [{"op": "get", "maxP98Ms": 5}]}`,
		wrong: `absolute[0]: unknown key "maxP98Ms"; known are op, clients, rate, minOpsPerSecond, maxP50Ms`},
	{name: "no clients", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 0, "maxP99Ms": 5}]}`,
		wrong: `absolute[0].clients is 0: it must be a whole number from 1`},
	{name: "half a client", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 1.5, "maxP99Ms": 5}]}`, wrong: `absolute[0].clients is 1.5`},
	{name: "too many clients", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 1e12, "maxP99Ms": 5}]}`, wrong: `absolute[0].clients is 1e12`},
	{name: "clients as text", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": "8", "maxP99Ms": 5}]}`, wrong: `absolute[0].clients is "8"`},
	{name: "rate of zero", raw: `{"scenario": "cache", "absolute": [{"op": "get", "rate": 0, "maxP99Ms": 5}]}`, wrong: `absolute[0].rate is 0: it must be a number above 0`},
	{name: "ops/s of zero", raw: `{"scenario": "cache", "absolute": [{"op": "get", "minOpsPerSecond": 0}]}`, wrong: `absolute[0].minOpsPerSecond is 0`},
	{name: "p99 negative", raw: `{"scenario": "cache", "absolute": [{"op": "get", "maxP99Ms": -5}]}`, wrong: `absolute[0].maxP99Ms is -5`},
	{name: "p99 null", raw: `{"scenario": "cache", "absolute": [{"op": "get", "maxP99Ms": null}]}`, wrong: `absolute[0].maxP99Ms is null`},
	{name: "mean as text", raw: `{"scenario": "cache", "absolute": [{"op": "get", "maxMeanMs": "5ms"}]}`, wrong: `absolute[0].maxMeanMs is "5ms": it must be a number above 0`},
	{name: "relative null", raw: `{"scenario": "cache", "relative": null}`, wrong: `relative must be an object with the keys baseline,`},
	{name: "baseline missing", raw: `{"scenario": "cache", "relative": {"p99MayRise": 0.25}}`, wrong: `relative.baseline is missing: it must be the path`},
	{name: "baseline empty", raw: `{"scenario": "cache", "relative": {"baseline": "", "p99MayRise": 0.25}}`, wrong: `relative.baseline is ""`},
	{name: "baseline absolute", raw: `{"scenario": "cache", "relative": {"baseline": "/b.json", "p99MayRise": 0.25}}`,
		wrong: `relative.baseline is "/b.json": it must be the path of a recorded report, from the folder of this file`},
	{name: "no tolerance", raw: `{"scenario": "cache", "relative": {"baseline": "b.json"}}`,
		wrong: `relative bounds nothing: it must have one of opsPerSecondMayFall, p50MayRise, p90MayRise, p95MayRise, p99MayRise, p999MayRise, meanMayRise`},
	{name: "falls by everything", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "opsPerSecondMayFall": 1}}`,
		wrong: `relative.opsPerSecondMayFall is 1: it must be a number above 0 and below 1, such as 0.1 for 10 %`},
	{name: "falls in percent", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "opsPerSecondMayFall": "10 %"}}`, wrong: `relative.opsPerSecondMayFall is "10 %"`},
	{name: "rises by nothing", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "p99MayRise": 0}}`, wrong: `relative.p99MayRise is 0: it must be a number above 0`},
	{name: "falls upwards", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "p50MayRise": -0.1}}`, wrong: `relative.p50MayRise is -0.1`},
	{name: "alpha of one", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "p99MayRise": 1, "alpha": 1}}`, wrong: `relative.alpha is 1: it must be`},
	{name: "alpha of zero", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "p99MayRise": 1, "alpha": 0}}`, wrong: `relative.alpha is 0: it must be`},
	{name: "unknown tolerance", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "maxMayRise": 1}}`, wrong: `relative: unknown key "maxMayRise"`},

	{name: "key twice", raw: `{"scenario": "cache", "scenario": "cash", ` + absolute + `}`, wrong: `the file: the key "scenario" is there twice`, alone: true},
	{name: "gate twice", raw: `{"scenario": "cache", "absolute": [{"op": "get", "maxP99Ms": 5}, {"op": "get", "maxP50Ms": 1, "maxP99Ms": 6}]}`,
		wrong: `absolute[1] bounds p99 of get in every step a second time, after absolute[0]`, alone: true},
	{name: "p50 above p99", raw: `{"scenario": "cache", "absolute": [{"op": "get", "maxP50Ms": 6, "maxP99Ms": 5}]}`,
		wrong: `absolute[0]: maxP50Ms is above maxP99Ms, and would never be crossed alone: it must be at most 5`, alone: true},
	{name: "too large a number", raw: `{"scenario": "cache", "absolute": [{"op": "get", "maxP99Ms": 1e999}]}`, wrong: `absolute[0].maxP99Ms is 1e999`, alone: true},
}

func TestParse(t *testing.T) {
	for _, tt := range files {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Parse([]byte(tt.raw))
			if tt.wrong == "" {
				require.NoError(t, err)
				require.Equal(t, "cache", f.Scenario)

				return
			}
			require.ErrorContains(t, err, tt.wrong)
			require.NotContains(t, err.Error(), "\n")
			require.Nil(t, f)
		})
	}
}

func TestParseOfWhatIsNoJSON(t *testing.T) {
	for raw, wrong := range map[string]string{
		"":                           "the file is empty",
		" \n\t ":                     "the file is empty",
		"scenario: cache":            "the file is not JSON: invalid character 's' looking for beginning of value",
		`{"scenario": "cache"`:       "the file is not JSON: unexpected end of JSON input",
		`{} {}`:                      "the file is not JSON: invalid character '{' after top-level value",
		strings.Repeat(" ", 1<<20+1): "the file has 1048577 bytes, more than 1048576",
	} {
		_, err := Parse([]byte(raw))
		require.EqualError(t, err, wrong)
	}
}

func TestParsed(t *testing.T) {
	f, err := Parse([]byte(`{"scenario": "cache", "absolute": [{"op": "get", "clients": 8, "rate": 2.5, "maxP99Ms": 5, "minOpsPerSecond": 100}],
		"relative": {"baseline": "baselines/cache.json", "p99MayRise": 0.25, "opsPerSecondMayFall": 0.1}}`))
	require.NoError(t, err)
	require.Equal(t, &File{
		Scenario: "cache",
		Absolute: []Absolute{{Op: "get", Clients: 8, Rate: 2.5, Bounds: []Bound{{report.FigureOf("ops_per_second"), 100}, {report.FigureOf("p99"), 5}}}},
		Relative: &Relative{
			Baseline: "baselines/cache.json", Tolerances: []Tolerance{{report.FigureOf("ops_per_second"), 0.1}, {report.FigureOf("p99"), 0.25}}, Alpha: 0.05,
		},
	}, f)
}

// The schema names the key of each figure, and no other bound.
func TestSchemaHasEveryFigure(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			AnyOf []struct {
				Required []string `json:"required"`
			} `json:"anyOf"`
			Properties map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal([]byte(Schema()), &schema))
	for name, keys := range map[string][]string{"absolute": keysOf(absoluteKey), "relative": keysOf(relativeKey)} {
		var one []string
		for _, required := range schema.Defs[name].AnyOf {
			one = append(one, required.Required...)
		}
		require.Equal(t, keys, one, "%s: schema.json has a line in anyOf, and a property, for each of report.Figures", name)
		for _, key := range keys {
			require.Contains(t, schema.Defs[name].Properties, key)
		}
	}
}

// The page of docs has the key of each figure.
func TestDocsHaveEveryFigure(t *testing.T) {
	raw, err := os.ReadFile("../../../thresholds/README.md")
	require.NoError(t, err)
	for _, key := range append(keysOf(absoluteKey), keysOf(relativeKey)...) {
		require.Contains(t, string(raw), "`"+key+"`")
	}
}

// The schema that editors use and Parse agree on what is a thresholds file.
func TestSchemaAgrees(t *testing.T) {
	written, err := os.ReadFile("schema.json")
	require.NoError(t, err)
	require.Equal(t, string(written), Schema())

	document, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema()))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	require.NoError(t, compiler.AddResource("schema.json", document))
	compiled, err := compiler.Compile("schema.json")
	require.NoError(t, err)

	for _, tt := range files {
		t.Run(tt.name, func(t *testing.T) {
			file, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.raw))
			require.NoError(t, err)
			err = compiled.Validate(file)
			if tt.wrong == "" || tt.alone {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, tt := range files {
		f.Add([]byte(tt.raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := Parse(raw)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")

			return
		}
		names := map[string]bool{}
		for _, name := range file.Plan() {
			require.False(t, names[name], "%q is there twice", name)
			require.NotContains(t, name, "\n")
			require.False(t, strings.ContainsAny(name, ",:{}'\""), name)
			names[name] = true
		}
	})
}
