package report

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// mixed makes steps of gets and sets, of 8 clients in a second.
func mixed(t *testing.T, repeat int) []Step {
	t.Helper()
	reading := measure.Reading{Complete: true, Elapsed: time.Second, Ops: []measure.Totals{{Op: "get", Rows: 1, Failed: 2}, {Op: "set", Failed: 1}}}
	for i := range 900 {
		reading.Ops[0].Durations.Record(time.Duration(i+1) * time.Microsecond)
	}
	for range 100 {
		reading.Ops[1].Durations.Record(5 * time.Millisecond)
	}
	steps := NewSteps(&reading, Step{Clients: 8, Repeat: repeat, PerClient: 125}, "", CPUSeconds{K6: 0.5})

	return steps
}

func TestTotals(t *testing.T) {
	r := madeUp(func(r *Report) { r.Steps = append(mixed(t, 1), mixed(t, 2)...) })
	steps := r.WithTotals()
	require.Len(t, steps, 6)
	require.Len(t, r.Steps, 4, "the report stays as it was")
	total := steps[2]
	require.Equal(t, TotalOp, total.Op)
	require.Equal(t, int64(1000), total.Operations)
	require.Equal(t, uint64(3), total.Failed)
	require.Equal(t, uint64(1), total.Rows)
	require.InDelta(t, 1000, total.OpsPerSecond, 1e-6)
	require.InDelta(t, 0.5, total.CPU.K6, 1e-9, "of the whole step")
	require.InEpsilon(t, 0.5, total.Latency.P50, 0.002)
	require.InEpsilon(t, 0.9, total.Latency.P90, 0.002)
	require.InEpsilon(t, 5, total.Latency.P95, 0.002)

	text := r.Markdown()
	require.Regexp(t, `\n\| +\| stock-rollup \(total\) +\| +8 \| +1 \| +125 \| 1,000/s \|`, text)
	require.Regexp(t, `\n\| +8 \| \(total\) +\| 1,000/s \|`, text, "and in the medians")
	csv, err := r.CSV()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(csv)), "\r\n")
	require.Len(t, lines, 7)
	require.Contains(t, lines[0], ",unstarted,total,")
	require.True(t, strings.HasPrefix(lines[3], "stock-rollup,(total),8,0,1,125,1000,3,true,1,1000,"))
	for i, line := range lines[1:] {
		require.Contains(t, line, map[bool]string{true: ",true", false: ",false"}[i%3 == 2])
	}
}

func TestNoTotals(t *testing.T) {
	for name, change := range map[string]func(*Report){
		"one kind":      func(r *Report) { r.Steps = r.Steps[:1] },
		"times of each": func(r *Report) { r.Steps[1].Seconds = 2 },
		"any script":    func(r *Report) { r.Script = &Script{} },
		"other steps":   func(r *Report) { r.Steps[1].Clients = 9 },
		"no histogram":  func(r *Report) { r.Steps[1].Histogram = "" },
		"variants":      func(r *Report) { r.Steps[0].Variant, r.Steps[1].Variant = "a", "b" },
	} {
		r := madeUp(func(r *Report) {
			r.Steps = mixed(t, 1)
			change(r)
		})
		require.Len(t, r.WithTotals(), len(r.Steps), name)
	}
}
