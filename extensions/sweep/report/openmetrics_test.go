package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sample matches a line of OpenMetrics with quoted labels.
var sample = regexp.MustCompile(`^sweep_[a-z0-9_]+\{[a-z]+="(\\.|[^"\\\n])*"(,[a-z]+="(\\.|[^"\\\n])*")*\} [0-9.e+-]+$`)

func TestOpenMetricsHasEveryFigureOfEveryStep(t *testing.T) {
	for name, r := range reports() {
		text := r.OpenMetrics()
		require.True(t, strings.HasSuffix(text, "\n# EOF\n"), name)
		samples := 0
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if !strings.HasPrefix(line, "#") {
				require.Regexp(t, sample, line, name)
				samples++
			}
		}
		require.Equal(t, (len(Figures)+1)*len(r.Groups()), samples, name)
	}
}

func TestOpenMetricsOfAStep(t *testing.T) {
	r := madeUp(func(r *Report) {
		r.Steps = []Step{
			step(8, 1, "a \"b\"\\\n"), step(8, 2, "a \"b\"\\\n", slower(2)), step(8, 3, "a \"b\"\\\n", slower(4)),
		}
	})
	text := r.OpenMetrics()
	want := `sweep_p99{scenario="stock-rollup",op="a \"b\"\\\n",clients="8"} ` + openNumber(r.Steps[1].Latency.P99) + "\n"
	require.Contains(t, text, want, "the median of the repeats")
	require.Contains(t, text, "# TYPE sweep_ops_per_second gauge\n# HELP sweep_ops_per_second Successful operations a second: ops/s.\n")
	require.Contains(t, text, `sweep_failed_operations{scenario="stock-rollup",op="a \"b\"\\\n",clients="8"} 0`)

	nothing := madeUp(func(r *Report) { r.Steps = []Step{step(1, 1, "get", func(s *Step) { s.Operations = 0; s.Failed = 7 })} }).OpenMetrics()
	require.NotContains(t, nothing, "sweep_p99{", "no success, no latency")
	require.Contains(t, nothing, `clients="1"} 7`)
}
