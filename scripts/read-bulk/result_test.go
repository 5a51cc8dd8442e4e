package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	sound = `{"language":"go","durationMs":1000.5,"totalCalls":100,"successfulCalls":100,"failedCalls":0,"totalReadResults":600,` +
		`"cachedReadResults":599,"callsPerSecond":100.0,"latencyMs":{"p50":3.5,"p95":14,"p99":41,"max":250,"mean":9.9}}`
	failed = `{"language":"go","durationMs":1000,"totalCalls":100,"successfulCalls":98,"failedCalls":2,"totalReadResults":588,` +
		`"cachedReadResults":588,"callsPerSecond":100,"latencyMs":{"p50":3.5,"p95":14,"p99":41,"max":250,"mean":9.9}}`
	empty = `{"language":"go","durationMs":1000,"totalCalls":0,"successfulCalls":0,"failedCalls":0,"totalReadResults":0,` +
		`"cachedReadResults":0,"callsPerSecond":0,"latencyMs":{"p50":0,"p95":0,"p99":0,"max":0,"mean":0}}`
)

// published has the first line of the published table and other output: 30924 results of 6 tags at
// 171.78 calls/s are 5154 calls in 30.004 s.
const published = `warming up
{"level": "info"}
{
  "language": "dotnet", "durationMs": 30004, "totalCalls": 5154, "successfulCalls": 5154, "failedCalls": 0,
  "totalReadResults": 30924, "cachedReadResults": 30924, "callsPerSecond": 171.78,
  "latencyMs": { "p50": 3.84, "p95": 14.06, "p99": 40.41, "max": 542.48, "mean": 5.82 }
}
BUILD SUCCESSFUL in 34s
`

func TestPublishedFiguresHoldTheSchema(t *testing.T) {
	t.Parallel()
	r, err := lastResult(published)
	require.NoError(t, err)
	require.NoError(t, r.check(6))
	assert.Empty(t, r.doubt(settings{duration: 30 * time.Second}))
	assert.Equal(t, latency{P50: 3.84, P95: 14.06, P99: 40.41, Max: 542.48, Mean: 5.82}, r.LatencyMs)
}

func TestSchemaErrorsAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, new, says string }{
		{`"language":"go",`, ``, "language is missing"},
		{`"language":"go"`, `"language":7`, "cannot unmarshal number into Go struct field result.language of type string"},
		{`"language":"go"`, `"language":""`, "language must be a text"},
		{`"language":"go"`, `"Language":"go"`, "language is missing"},
		{`"language":"go"`, `"language":"go","extra":1`, `unknown field "extra"`},
		{`"totalCalls":100`, `"totalCalls":"100"`, "cannot unmarshal string into Go struct field result.totalCalls of type int64"},
		{`"totalCalls":100`, `"totalCalls":100.5`, "cannot unmarshal number 100.5 into Go struct field result.totalCalls of type int64"},
		{`"totalCalls":100`, `"totalCalls":-1`, "a number is negative, or too large"},
		{`"totalCalls":100`, `"totalCalls":99999999999999`, "a number is negative, or too large"},
		{`"totalCalls":100`, `"totalCalls":null`, "totalCalls is missing"},
		{`"totalCalls":100`, `"totalCalls":99`, "successfulCalls 100 and failedCalls 0 do not make totalCalls 99"},
		{`"durationMs":1000.5`, `"durationMs":true`, "cannot unmarshal bool into Go struct field result.durationMs of type float64"},
		{`"durationMs":1000.5`, `"durationMs":-3`, "a number is negative, or too large"},
		{`"durationMs":1000.5`, `"durationMs":1e999`, "cannot unmarshal number 1e999 into Go struct field result.durationMs of type float64"},
		{`"language":"go"`, `"language":"` + strings.Repeat("k", 65) + `"`, "language has 65 bytes, at most 64 are a name"},
		{`"durationMs":1000.5`, `"durationMs":0`, "callsPerSecond is 100, but totalCalls in durationMs make 0.00"},
		{`"durationMs":1000.5`, `"durationMs":1100`, "callsPerSecond is 100, but totalCalls in durationMs make 90.91"},
		{`"cachedReadResults":599`, `"cachedReadResults":601`, "cachedReadResults 601 is more than totalReadResults 600"},
		{`"totalReadResults":600`, `"totalReadResults":599`, "totalReadResults 599 is not what 100 calls of 6 tags bring"},
		{`"totalReadResults":600`, `"totalReadResults":2000`, "totalReadResults 2000 is not what 100 calls of 6 tags bring"},
		{`"p50":3.5`, `"p50":15`, "latencyMs falls: p50 15, p95 14, p99 41, max 250"},
		{`"p95":14`, `"p95":42`, "latencyMs falls"},
		{`"p99":41`, `"p99":251`, "latencyMs falls"},
		{`"mean":9.9`, `"mean":251`, "latencyMs.mean 251 is more than latencyMs.max 250"},
		{`,"mean":9.9`, ``, "latencyMs.mean is missing"},
		{`"mean":9.9`, `"mean":"9.9"`, "cannot unmarshal string into Go struct field latency.latencyMs.mean of type float64"},
		{`"mean":9.9`, `"mean":9.9,"p90":1`, `unknown field "p90"`},
		{`{"p50":3.5,"p95":14,"p99":41,"max":250,"mean":9.9}`, `[1]`, "cannot unmarshal array into Go struct field result.latencyMs of type main.latency"},
	} {
		text := strings.Replace(sound, c.old, c.new, 1)
		require.NotEqual(t, sound, text)
		r, err := lastResult(text)
		if err == nil {
			err = r.check(6)
		}
		require.ErrorContains(t, err, "its JSON is wrong: "+c.says, text)
	}
	r, err := lastResult(sound)
	require.NoError(t, err)
	require.NoError(t, r.check(6))
}

func TestTheLastObjectIsTaken(t *testing.T) {
	t.Parallel()
	for text, last := range map[string]string{
		"":                                   "",
		"no object, [1, 2]":                  "",
		"{":                                  "",
		"}{":                                 "",
		`{"a":1} {"b":2}`:                    `{"b":2}`,
		`{"a":{"b":2}} trailing`:             `{"a":{"b":2}}`,
		"x{\"a\":\n1}\n{\"b\": }":            "{\"a\":\n1}",
		`{"a":"}{"}`:                         `{"a":"}{"}`,
		`{"a":1}{"b":"not closed}`:           `{"a":1}`,
		strings.Repeat(`{"":`, keptOutput/5): "",
		strings.Repeat(`{`, keptOutput):      "",
		`{"a":1}` + strings.Repeat(`{"a":`, 1000) + `{"b":2}`: `{"b":2}`,
	} {
		assert.Equal(t, last, string(lastObject(text)), "%.50s", text)
	}
}

func FuzzLastResult(f *testing.F) {
	for _, text := range []string{sound, failed, empty, published, "{", `{"language":{}}`, `{"a":1}{"latencyMs":[]}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := lastResult(text)
		if err != nil || r.check(6) != nil {
			return
		}
		again, err := json.Marshal(r)
		require.NoError(t, err)
		same, err := lastResult(string(again))
		require.NoError(t, err, "what it accepts is of the schema")
		require.Equal(t, r, same)
	})
}
