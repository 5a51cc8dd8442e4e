package report

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// All figures of the step are different, so a wrong path fails.
func TestFiguresAreWhatTheReportHas(t *testing.T) {
	s := step(8, 1, "get", func(s *Step) {
		s.OpsPerSecond = 1.5
		s.Latency = LatencyMs{P50: 2.5, P90: 3.5, P95: 4.5, P99: 5.5, P999: 6.5, Max: 7.5, Mean: 8.5}
	})
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, json.Unmarshal(raw, &object))
	seen := map[float64]bool{}
	for i := range Figures {
		f := &Figures[i]
		var value any = object
		for _, key := range strings.Split(f.JSON, ".") {
			value = value.(map[string]any)[key]
		}
		require.Equal(t, value, f.Of(&s), f.Name)
		require.False(t, seen[f.Of(&s)], f.Name)
		seen[f.Of(&s)] = true
		require.Same(t, f, FigureOf(f.Key))
	}
	require.Len(t, Latencies(), reflect.TypeFor[LatencyMs]().NumField(), "all of the report's latencies")
	require.Nil(t, FigureOf("p98"))
}

func TestFiguresAreJudgedByTheirDirection(t *testing.T) {
	rate, p99 := FigureOf("ops_per_second"), FigureOf("p99")
	for _, tt := range []struct {
		figure       *Figure
		value, bound float64
		keeps        bool
	}{
		{rate, 11, 10, true}, {rate, 10, 10, true}, {rate, 9, 10, false},
		{p99, 11, 10, false}, {p99, 10, 10, true}, {p99, 9, 10, true},
	} {
		require.Equal(t, tt.keeps, tt.figure.Keeps(tt.value, tt.bound), "%s %g %g", tt.figure.Name, tt.value, tt.bound)
	}
	require.Equal(t, "1,234/s", rate.Show(1234.4))
	require.Equal(t, "12.5ms", p99.Show(12.46))
	require.Equal(t, 9.0, rate.Worse(9, 10))
	require.Equal(t, 10.0, p99.Worse(9, 10))
}

func TestFiguresRestOnOperations(t *testing.T) {
	little := func(key string, operations int64, seconds float64) string {
		s := &Step{Operations: operations, Seconds: seconds}

		return FigureOf(key).RestsOnLittle(&Group{Steps: []*Step{s}})
	}
	require.Empty(t, little("ops_per_second", 10, 0.1))
	require.NotEmpty(t, little("ops_per_second", 10, 0.09))
	require.NotEmpty(t, little("ops_per_second", 9, 1))
	require.Empty(t, little("p99", 1000, 0.01))
	require.NotEmpty(t, little("p99", 999, 10))
	require.Empty(t, little("mean", 10, 0.01))
	require.NotEmpty(t, little("mean", 9, 10))
	require.Empty(t, little("max", 1, 0.01), "it is one, however few there are")
}
