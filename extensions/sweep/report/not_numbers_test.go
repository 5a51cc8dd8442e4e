package report_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// filled gives a value all that it may have, and calls found with each number in it.
func filled(v reflect.Value, found func(number reflect.Value)) {
	switch v.Kind() { //nolint:exhaustive // the others have no numbers in them
	case reflect.Float64, reflect.Float32:
		found(v)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), found)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0), found)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				filled(v.Field(i), found)
			}
		}
	}
}

// Whatever figure of a step or a duet is no number: the others are in the report, and it is told
// which one is not.
func TestReportWithoutANumber(t *testing.T) {
	for _, made := range []func() any{func() any { return &report.Step{} }, func() any { return &report.Duet{} }} {
		numbers := 0
		filled(reflect.ValueOf(made()).Elem(), func(reflect.Value) { numbers++ })
		require.Greater(t, numbers, 5)
		for bad := range numbers {
			for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				of, at := made(), 0
				filled(reflect.ValueOf(of).Elem(), func(number reflect.Value) {
					number.SetFloat(1)
					if at == bad {
						number.SetFloat(value)
					}
					at++
				})
				_, err := json.Marshal(of)
				require.Error(t, err)
				require.Len(t, report.DropNotNumbers(of), 1)
				raw, err := json.Marshal(of)
				require.NoError(t, err)
				require.Contains(t, string(raw), `:1`)
				require.Empty(t, report.DropNotNumbers(of))
			}
		}
	}
}

func TestKeysOfWhatIsNoNumber(t *testing.T) {
	nan := math.NaN()
	s := report.Step{OpsPerSecond: nan, CPU: report.CPUSeconds{K6: 2, Server: &nan}}
	s.Latency.P99 = math.Inf(1)
	require.Equal(t, []string{"opsPerSecond", "latencyMs.p99", "cpuSeconds.server"}, report.DropNotNumbers(&s))
	require.Equal(t, report.Step{CPU: report.CPUSeconds{K6: 2}}, s)

	given := map[string]any{"a": 1.5, "b": nan, "c": []any{"x", nan}, "d": "text"}
	require.ElementsMatch(t, []string{"b", "c[1]"}, report.DropNotNumbers(&given))
	require.Equal(t, map[string]any{"a": 1.5, "c": []any{"x", nil}, "d": "text"}, given)
}
