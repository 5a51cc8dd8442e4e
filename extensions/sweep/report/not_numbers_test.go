package report_test

import (
	"math"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func numbersIn(v reflect.Value, found func(number reflect.Value)) {
	switch v.Kind() { //nolint:exhaustive // the others have no numbers in them
	case reflect.Float64:
		found(v)
	case reflect.Pointer:
		if !v.IsNil() {
			numbersIn(v.Elem(), found)
		}
	case reflect.Slice:
		for i := range v.Len() {
			numbersIn(v.Index(i), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				numbersIn(v.Field(i), found)
			}
		}
	}
}

func golden(t *testing.T, name string) *report.Report {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".json")
	require.NoError(t, err)
	r, err := report.Read(raw)
	require.NoError(t, err)

	return r
}

// For each figure that may be NaN: the other figures stay, its key is returned, and the report can
// be read again. A step without a required figure is incomplete.
func TestReportWithoutANumber(t *testing.T) {
	readAgain := 0
	notNumbers := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
	for file, name := range []string{"duet", "duration", "failed", "rates", "whole", "witness"} {
		count := 0
		numbersIn(reflect.ValueOf(golden(t, name).Steps), func(reflect.Value) { count++ })
		numbersIn(reflect.ValueOf(golden(t, name).Duets), func(reflect.Value) { count++ })
		for bad := range count {
			r, at := golden(t, name), 0
			spoil := func(number reflect.Value) {
				if at == bad {
					number.SetFloat(notNumbers[(file+bad)%len(notNumbers)])
				}
				at++
			}
			numbersIn(reflect.ValueOf(r.Steps), spoil)
			numbersIn(reflect.ValueOf(r.Duets), spoil)
			_, err := r.JSON()
			require.Error(t, err)
			var keys []string
			for i := range r.Steps {
				keys = append(keys, r.Steps[i].DropNotNumbers()...)
			}
			for i := range r.Duets {
				keys = append(keys, r.Duets[i].DropNotNumbers()...)
			}
			require.Len(t, keys, 1, "%s, number %d", name, bad)
			raw, err := r.JSON()
			require.NoError(t, err)
			if _, err = report.Read(raw); err == nil {
				readAgain++
			} else if !slices.ContainsFunc(r.Duets, func(d report.Duet) bool { return d.SliceSeconds == 0 }) {
				require.Contains(t, needed, keys[0], "%s: %s", name, err)
			}
		}
	}
	require.Greater(t, readAgain, 100)
}

var needed = []string{
	"rate", "seconds", "opsPerSecond", "client.min", "client.max", "client.avg", "client.p25", "client.p50", "client.p75",
	"latencyMs.p50", "latencyMs.p90", "latencyMs.p95", "latencyMs.p99", "latencyMs.p999", "latencyMs.max", "latencyMs.mean",
	"cpuSeconds.k6",
}

func TestStepWithoutANumber(t *testing.T) {
	nan := math.NaN()
	r := golden(t, "duet")
	s := &r.Steps[0]
	s.Complete, s.CPU.Server = true, &nan
	require.Equal(t, []string{"cpuSeconds.server"}, s.DropNotNumbers())
	require.True(t, s.Complete)
	require.Nil(t, s.CPU.Server)
	s.OpsPerSecond, s.Latency.P99, s.Intervals = nan, math.Inf(1), &report.Intervals{}
	require.Equal(t, []string{"opsPerSecond", "latencyMs.p99"}, s.DropNotNumbers())
	require.False(t, s.Complete)
	require.Nil(t, s.Intervals)

	d := &r.Duets[0]
	d.Figures[0].High = math.Inf(1)
	require.Equal(t, []string{"figures"}, d.DropNotNumbers())
	require.Empty(t, d.Figures)
	require.Equal(t, "a figure is no number", d.Why)
}
