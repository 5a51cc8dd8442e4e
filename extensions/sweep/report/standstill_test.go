package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

func TestAStepThatStoodStillSaysSo(t *testing.T) {
	still := func(part float64) *Report {
		return madeUp(func(r *Report) {
			r.Steps[1].Standstill = &Standstill{LongestMs: 5000, Part: part}
		})
	}
	r := still(0.5)
	const says = "8 clients: it stood still for 50 % of the time: no operation ended for up to 5.000s"
	require.Contains(t, r.Markdown(), "\n"+says+"\n")
	require.NotContains(t, still(0.1).Markdown(), "stood still")
	require.Empty(t, (&Step{}).StoodStill(), "nobody knows")

	total := totalOf([]Step{r.Steps[1], r.Steps[1]})
	require.Equal(t, r.Steps[1].Standstill, total.Standstill)
}

func TestLatenessIsInTheTable(t *testing.T) {
	late := func(p99 float64) string {
		return madeUp(func(r *Report) {
			for i := range r.Steps {
				r.Steps[i].Rate = 100
				r.Steps[i].OpenLoop = &OpenLoop{Lateness: LatenessMs{P99: 0.01}}
			}
			r.Steps[2].OpenLoop.Lateness.P99 = p99 * r.Steps[2].Latency.P99
		}).Markdown()
	}
	require.NotContains(t, late(0.1), "late p99")
	text := late(0.2)
	require.Contains(t, text, "| late p99 |")
	require.Contains(t, text, "|  0.010ms |", "that of the other steps")
}

func TestAnOpenLoopAtItsLimit(t *testing.T) {
	var lateness measure.Distribution
	for range 1000 {
		lateness.Record(30 * time.Millisecond)
	}
	histogram := lateness.Encode()
	lateByK6 := 0.0
	busy := func(part, rate float64) string {
		return madeUp(func(r *Report) {
			s := step(8, 1, "get", func(s *Step) { s.Rate, s.Latency.Mean = rate, 50 })
			s.OpenLoop = &OpenLoop{AllBusy: part, LongestQueue: 775, LateByK6: lateByK6, Lateness: LatenessMs{Histogram: histogram}}
			r.Steps = []Step{s}
		}).Markdown()
	}
	require.NotContains(t, busy(0.1, 400), "busy")
	text := busy(0.46, 400)
	require.Contains(t, text, "| all busy | queue | service |")
	require.Regexp(t, `\| +46 % \| +775 \| +20\.\dms \|`, text)
	require.Regexp(t, "8 clients at 400/s: all clients were busy for 46 % of the time, and up to 775 operations that were due waited for one; "+
		`an operation took 20\.\dms on average once it had begun\. Give it more clients, such as preAllocatedVUs: 1[67], or a lower rate\.`, text)
	require.Regexp(t, `preAllocatedVUs: \d{3},`, busy(0.46, 4000), "twice what Little's law asks for")
	lateByK6 = 0.02
	require.NotContains(t, busy(0.46, 400), "preAllocatedVUs", "more clients do not help")
}

func TestPipelinesCountOnce(t *testing.T) {
	piped := func(timings int64) *Report {
		return madeUp(func(r *Report) { r.Steps = []Step{step(8, 1, "get", func(s *Step) { s.Timed = timings })} })
	}
	r := piped(999)
	require.NoError(t, r.Steps[0].validate())
	text := r.Markdown()
	require.Contains(t, text, "| 1.424ms | (7.200ms) |")
	require.Contains(t, text, "p99 needs 1,000 operations). A pipeline counts as one.\n")
	require.NotContains(t, piped(1000).Markdown(), "In parentheses")
	g := r.Groups()[0]
	require.Equal(t, "p99 of 999 pipelines rests on 9 of them, 10 are needed: 1,000 pipelines or more", g.TooFew(P99))
	r.Steps[0].Timed = 9
	require.Equal(t, "too short to measure: 9 pipelines, at least 10 are needed", g.FewOperations())
	require.Contains(t, g.TooShort(), "ops/s of 9 pipelines in 12.7s: at least 10 pipelines and 0.1s are needed")
	both := func(timings int64) int64 {
		return totalOf([]Step{step(8, 1, "get", func(s *Step) { s.Timed = timings }), step(8, 1, "set")}).Timings()
	}
	require.EqualValues(t, 160_000, both(0))
	require.EqualValues(t, 80_000, both(5), "a pipeline may have both kinds")
}
