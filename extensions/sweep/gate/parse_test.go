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
	absolute = `"absolute": [{"op": "get", "p99": "5ms"}]`
	relative = `"relative": {"baseline": "baselines/cache.json", "p99": "+25%"}`
)

// files are valid and invalid gate files. The schema refuses the invalid ones too, except those
// marked for Parse alone.
var files = []struct {
	name, raw, wrong string
	alone            bool
}{
	{name: "absolute", raw: `{"scenario": "cache", ` + absolute + `}`},
	{name: "relative", raw: `{"scenario": "cache", ` + relative + `}`},
	{name: "both", raw: `{"$schema": "s.json", "scenario": "cache", ` + absolute + `, ` + relative + `}`},
	{name: "every key", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 8, "rate": 0.5, "opsPerSecond": 1,
		"p50": "1ms", "p90": "2ms", "p95": "2ms", "p99": "3ms", "p999": "4ms", "mean": "0.1ms"}],
		"relative": {"baseline": "b.json", "opsPerSecond": "-99.9%", "p50": "+300%", "p90": "+200%",
			"p95": "+200%", "p99": "+100%", "p999": "+950%", "mean": "+20%", "alpha": 0.01}}`},
	{name: "an integer with a point", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 8.0, "p99": "5ms"}]}`},
	{name: "several of one operation", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 8, "p99": "5ms"},
		{"op": "get", "p99": "5ms"}, {"op": "get", "clients": 8, "rate": 9, "p99": "5ms"}, {"op": "get", "p50": "5ms"}]}`},

	{name: "an array", raw: `[]`, wrong: `the file must be an object with the keys $schema, scenario, absolute, relative, undecided`},
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
	{name: "op missing", raw: `{"scenario": "cache", "absolute": [{"p99": "5ms"}]}`, wrong: `absolute[0].op is missing`},
	{name: "op of a wrong type", raw: `{"scenario": "cache", "absolute": [{"op": ["get"], "p99": "5ms"}]}`, wrong: `absolute[0].op is ["get"]: it must be the name`},
	{name: "no bound", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 1}]}`,
		wrong: `absolute[0] bounds nothing: it must have one of opsPerSecond, p50, p90, p95, p99, p999, mean`},
	{name: "unknown bound", raw: `{"scenario": "cache", "absolute": [{"op": "get", "p98": "5ms"}]}`,
		wrong: `absolute[0]: unknown key "p98"; known are op, clients, rate, opsPerSecond, p50`},
	{name: "no clients", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 0, "p99": "5ms"}]}`,
		wrong: `absolute[0].clients is 0: it must be an integer from 1`},
	{name: "half a client", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 1.5, "p99": "5ms"}]}`, wrong: `absolute[0].clients is 1.5`},
	{name: "too many clients", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": 1e12, "p99": "5ms"}]}`, wrong: `absolute[0].clients is 1e12`},
	{name: "clients as text", raw: `{"scenario": "cache", "absolute": [{"op": "get", "clients": "8", "p99": "5ms"}]}`, wrong: `absolute[0].clients is "8"`},
	{name: "rate of zero", raw: `{"scenario": "cache", "absolute": [{"op": "get", "rate": 0, "p99": "5ms"}]}`, wrong: `absolute[0].rate is 0: it must be a number above 0`},
	{name: "ops/s of zero", raw: `{"scenario": "cache", "absolute": [{"op": "get", "opsPerSecond": 0}]}`, wrong: `absolute[0].opsPerSecond is 0`},
	{name: "p99 negative", raw: `{"scenario": "cache", "absolute": [{"op": "get", "p99": "-5ms"}]}`, wrong: `absolute[0].p99 is "-5ms": it must be a duration above 0 with its unit, such as "5ms"`},
	{name: "p99 null", raw: `{"scenario": "cache", "absolute": [{"op": "get", "p99": null}]}`, wrong: `absolute[0].p99 is null`},
	{name: "mean as a number", raw: `{"scenario": "cache", "absolute": [{"op": "get", "mean": 5}]}`, wrong: `absolute[0].mean is 5: it must be a duration above 0`},
	{name: "mean of nothing", raw: `{"scenario": "cache", "absolute": [{"op": "get", "mean": "0s"}]}`, wrong: `absolute[0].mean is "0s": it must be a duration above 0`},
	{name: "p50 without a unit", raw: `{"scenario": "cache", "absolute": [{"op": "get", "p50": "5"}]}`, wrong: `absolute[0].p50 is "5": it must be a duration above 0`},
	{name: "p50 with a sign", raw: `{"scenario": "cache", "absolute": [{"op": "get", "p50": "+5ms"}]}`, wrong: `absolute[0].p50 is "+5ms": it must be a duration above 0`},
	{name: "ops/s as text", raw: `{"scenario": "cache", "absolute": [{"op": "get", "opsPerSecond": "5"}]}`, wrong: `absolute[0].opsPerSecond is "5": it must be a number above 0`},
	{name: "two units", raw: `{"scenario": "cache", "absolute": [{"op": "get", "p50": "1m30.5s"}]}`},
	{name: "relative null", raw: `{"scenario": "cache", "relative": null}`, wrong: `relative must be an object with the keys opsPerSecond,`},
	{name: "for duets alone", raw: `{"scenario": "cache", "relative": {"p99": "+25%"}}`},
	{name: "undecided passes", raw: `{"scenario": "cache", ` + relative + `, "undecided": "pass"}`},
	{name: "undecided fails", raw: `{"scenario": "cache", ` + relative + `, "undecided": "fail"}`},
	{name: "undecided of another kind", raw: `{"scenario": "cache", ` + relative + `, "undecided": true}`,
		wrong: `undecided is true: it must be "fail" or "pass"; without it, "fail"`},
	{name: "undecided otherwise", raw: `{"scenario": "cache", ` + relative + `, "undecided": "warn"}`, wrong: `undecided is "warn": it must be "fail" or "pass"`},
	{name: "baseline empty", raw: `{"scenario": "cache", "relative": {"baseline": "", "p99": "+25%"}}`, wrong: `relative.baseline is ""`},
	{name: "baseline absolute", raw: `{"scenario": "cache", "relative": {"baseline": "/b.json", "p99": "+25%"}}`,
		wrong: `relative.baseline is "/b.json": it must be the path of recorded runs, from the folder of this file`},
	{name: "no tolerance", raw: `{"scenario": "cache", "relative": {"baseline": "b.json"}}`,
		wrong: `relative bounds nothing: it must have one of opsPerSecond, p50, p90, p95, p99, p999, mean`},
	{name: "falls by everything", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "opsPerSecond": "-100%"}}`,
		wrong: `relative.opsPerSecond is "-100%": it must be by how much it may fall, less than all of it, such as "-10%"`},
	{name: "falls in percent", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "opsPerSecond": "10%"}}`, wrong: `relative.opsPerSecond is "10%"`},
	{name: "rises by nothing", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "p99": "+0%"}}`, wrong: `relative.p99 is "+0%": it must be by how much it may rise, such as "+30%"`},
	{name: "falls upwards", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "p50": "-10%"}}`, wrong: `relative.p50 is "-10%"`},
	{name: "rises by a number", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "p50": 0.1}}`, wrong: `relative.p50 is 0.1: it must be by how much`},
	{name: "alpha of one", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "p99": "+100%", "alpha": 1}}`, wrong: `relative.alpha is 1: it must be`},
	{name: "alpha of zero", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "p99": "+100%", "alpha": 0}}`, wrong: `relative.alpha is 0: it must be`},
	{name: "unknown tolerance", raw: `{"scenario": "cache", "relative": {"baseline": "b.json", "max": "+100%"}}`, wrong: `relative: unknown key "max"`},

	{name: "key twice", raw: `{"scenario": "cache", "scenario": "cash", ` + absolute + `}`, wrong: `the file: the key "scenario" is there twice`, alone: true},
	{name: "gate twice", raw: `{"scenario": "cache", "absolute": [{"op": "get", "p99": "5ms"}, {"op": "get", "p50": "1ms", "p99": "6ms"}]}`,
		wrong: `absolute[1] bounds p99 of get in every step a second time, after absolute[0]`, alone: true},
	{name: "p50 above p99", raw: `{"scenario": "cache", "absolute": [{"op": "get", "p50": "6ms", "p99": "5ms"}]}`,
		wrong: `absolute[0]: p50 is above p99, and would never be crossed alone: it must be at most 5ms`, alone: true},
	{name: "too large a number", raw: `{"scenario": "cache", "absolute": [{"op": "get", "p99": "1e999ms"}]}`, wrong: `absolute[0].p99 is "1e999ms"`},
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
		"\xff\xfe{\x00":              "the file is UTF-16, as Windows PowerShell writes it: it must be UTF-8",
		"\ufeff{}":                   `scenario is missing: it must be the name of the scenario that the gates are for`,
		strings.Repeat(" ", 1<<20+1): "the file has 1048577 bytes, more than 1048576",
	} {
		_, err := Parse([]byte(raw))
		require.EqualError(t, err, wrong)
	}
}

func TestParsed(t *testing.T) {
	f, err := Parse([]byte(`{"scenario": "cache", "absolute": [{"op": "get", "clients": 8, "rate": 2.5, "p99": "5ms", "opsPerSecond": 100}],
		"relative": {"baseline": "baselines/cache.json", "p99": "+25%", "opsPerSecond": "-10%"}}`))
	require.NoError(t, err)
	require.Equal(t, &File{
		Scenario: "cache",
		Absolute: []Absolute{{Op: "get", Clients: 8, Rate: 2.5, Bounds: []Bound{{report.FigureOf("ops_per_second"), 100}, {report.FigureOf("p99"), 5}}}},
		Relative: &Relative{
			Baseline: "baselines/cache.json", Tolerances: []Tolerance{{report.FigureOf("ops_per_second"), 0.1}, {report.FigureOf("p99"), 0.25}}, Alpha: 0.05,
		},
	}, f)
}

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
	for name, keys := range map[string][]string{"absolute": boundKeys(alsoBounded()), "relative": boundKeys(bounded())} {
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

func TestDocsHaveEveryFigure(t *testing.T) {
	raw, err := os.ReadFile("../../../thresholds/README.md")
	require.NoError(t, err)
	for _, key := range boundKeys(alsoBounded()) {
		require.Contains(t, string(raw), "`"+key+"`")
	}
}

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
			names[name] = true
		}
	})
}
