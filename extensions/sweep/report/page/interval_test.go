package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestIntervalsOnThePage(t *testing.T) {
	m := newMaker()
	once := m.madeUp([]report.Step{m.step(1, 1, 200, "rollup", 9000, known), m.step(8, 1, 200, "rollup", 9000, known), m.step(64, 1, 200, "rollup", 9000)})
	page := rendered(t, once)
	const whisker = `<path class="interval `
	require.Equal(t, 2*(1+len(percentiles)), strings.Count(page, whisker), "of ops/s, and of each percentile")
	require.Equal(t, 2, strings.Count(page, "Whiskers are intervals that have the true figure of the step in 95 of 100 cases."))
	require.NotContains(t, page, "ops/s ±")

	once.Params["intervals"] = true
	page = rendered(t, once)
	for _, name := range []string{"ops/s ±", "p50 ±", "p99 ±"} {
		require.Contains(t, page, `>`+name+`</th>`)
	}
	require.Equal(t, 6, strings.Count(page, "2.0 %"))
	require.Contains(t, page, "±: the true figure of the step is within it")

	repeats := m.madeUp([]report.Step{m.step(8, 1, 200, "rollup", 9000, known), m.step(8, 2, 200, "rollup", 9000, known)})
	require.NotContains(t, rendered(t, repeats), whisker, "marks show how far repeats are apart")
}

func TestWhiskersAreWithinThePlot(t *testing.T) {
	m := newMaker()
	wide := func(s *report.Step) {
		known(s)
		s.Intervals.OpsPerSecond = report.Range{Low: 0, High: 3 * s.OpsPerSecond}
	}
	p := throughput(newSweep(m.madeUp([]report.Step{m.step(8, 1, 200, "rollup", 9000, wide)})), nil).Plots[0]
	for _, one := range p.Marks {
		if strings.HasPrefix(one.Class, "interval") {
			var x, low, high float64
			_, err := fmt.Sscanf(one.D, "M%f %fL%f %fM", &x, &low, &x, &high)
			require.NoError(t, err)
			require.InDelta(t, plotBottom, low, 0.1)
			require.GreaterOrEqual(t, high, plotTop)
			require.Less(t, high, plotBottom/2, "three times the figure")

			return
		}
	}
	require.Fail(t, "no whisker")
}
