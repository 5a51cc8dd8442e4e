package page

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestCurve(t *testing.T) {
	var d measure.Distribution
	for ms := range 1000 {
		d.Record(time.Duration(ms+1) * time.Millisecond)
	}
	c := curve{count: 1000, of: &d}
	points := c.points()
	at := map[float64]float64{}
	for i, p := range points {
		at[p.x] = p.y
		if i > 0 {
			require.GreaterOrEqual(t, p.x, points[i-1].x)
			require.GreaterOrEqual(t, p.y, points[i-1].y)
		}
	}
	require.InEpsilon(t, 1, at[0], 0.001)
	require.InEpsilon(t, 500, at[math.Log10(2)], 0.001)
	require.InEpsilon(t, 900, at[1], 0.001)
	require.InEpsilon(t, 990, at[2], 0.001)
	require.InEpsilon(t, 1000, at[3], 0.001, "the slowest is at the end")
	require.InDelta(t, 3, points[len(points)-1].x, 1e-9)
}

// A curve covers all repeats and ends at the report's maximum.
func TestCurveOfRepeats(t *testing.T) {
	step := func(ms ...int) *report.Step {
		var d measure.Distribution
		for _, v := range ms {
			d.Record(time.Duration(v)*time.Millisecond + 7)
		}
		encoded := d.Encode()

		return &report.Step{Operations: d.Count, Latency: report.Latency(&d), Histogram: encoded}
	}
	c, err := newCurve(report.Group{Steps: []*report.Step{step(1, 2, 3), step(10, 20), {Operations: 5}, {Histogram: "no"}}})
	require.NoError(t, err)
	require.Equal(t, int64(5), c.count)
	require.InEpsilon(t, 3, report.Ms(c.of.Quantile(0.5)), 0.002)
	require.Equal(t, 20*time.Millisecond+7, c.of.Quantile(1))

	c, err = newCurve(report.Group{Steps: []*report.Step{step(1), {Operations: 1, Histogram: "no"}}})
	require.ErrorContains(t, err, "the histogram cannot be read")
	require.Equal(t, int64(1), c.count, "what can be read is shown")
}

func TestPublishedShapes(t *testing.T) {
	m := newMaker()
	r := m.madeUp([]report.Step{
		m.step(1, 1, 10, "rollup", 100, func(s *report.Step) { s.OpsPerSecond = 100 }),
		m.step(8, 1, 10, "rollup", 100, func(s *report.Step) { s.OpsPerSecond = 400 }),
	}, func(r *report.Report) {
		r.Published = append(published(),
			report.Series{Op: "another", Points: []report.Point{{Clients: 1, OpsPerSecond: 1}}}, report.Series{Op: "rollup"})
	})
	shapes := shapesOf(newSweep(r))
	require.Len(t, shapes, 5, "not of an operation that was not measured, nor without points")
	require.Equal(t, "a", shapes[0].letter)
	require.InEpsilon(t, 400.0/24_157, shapes[0].factor, 1e-9)
	require.InEpsilon(t, 400.0/29_725, shapes[4].factor, 1e-9)

	r.Steps[0].Rate = 5
	require.Empty(t, shapesOf(newSweep(r)), "nobody published a sweep of rates")
}

func TestLettersOfPublishedSeriesAreApart(t *testing.T) {
	m := newMaker()
	r := m.madeUp([]report.Step{m.step(1, 1, 10, "rollup", 100), m.step(8, 1, 10, "rollup", 100)},
		func(r *report.Report) { r.Published = published() })
	s := newSweep(r)
	shapes := shapesOf(s)
	require.Len(t, shapes, 5)
	p := throughput(s, shapes).Plots[0]
	var letters []label
	for _, l := range p.Labels {
		if l.Class == "letter" {
			letters = append(letters, l)
		}
	}
	require.Len(t, letters, 5)
	for i, a := range letters {
		for _, b := range letters[:i] {
			apart := math.Max(math.Abs(float64(a.X-b.X)), math.Abs(float64(a.Y-b.Y)))
			require.GreaterOrEqual(t, apart, 9.0, "%s and %s", a.Text, b.Text)
		}
	}
}

func TestPublishedTable(t *testing.T) {
	table := publishedTableOf(&report.Report{Published: []report.Series{
		{Label: "x", Points: []report.Point{{Clients: 8, OpsPerSecond: 6030}, {Clients: 1, OpsPerSecond: 827.5}}},
		{Label: "y", Machine: "an M5", Points: []report.Point{{Clients: 8, OpsPerSecond: 1}}},
	}})
	require.Equal(t, []string{"not told", "an M5"}, []string{table.Series[0].Machine, table.Series[1].Machine})
	require.Equal(t, []row{
		{Cells: []cell{{Text: "1", Head: true, Class: "n"}, {Value: "827.5", Text: "828/s", Class: "n"}, {Text: "–", Class: "n"}}},
		{Cells: []cell{{Text: "8", Head: true, Class: "n"}, {Value: "6030", Text: "6,030/s", Class: "n"}, {Value: "1", Text: "1/s", Class: "n"}}},
	}, table.Table.Rows)
}

func TestFailuresAreBounded(t *testing.T) {
	s := report.Step{Clients: 1, Op: "get", Extra: report.Extra{Errors: map[string]uint64{}}}
	for i := range maxErrors + 5 {
		s.Extra.Errors[fmt.Sprint("error ", i)] = uint64(i + 1)
	}
	list := failures(newSweep(&report.Report{Steps: []report.Step{s}}))
	require.Len(t, list.Rows, maxErrors)
	require.Equal(t, []string{"5 more are in the JSON of the run."}, list.Notes)
	require.Equal(t, []cell{
		head("1 client"), {Text: "get", Class: "name"}, {Text: "105", Class: "n"}, {Text: "error 104", Class: "text"},
	}, list.Rows[0].Cells)
}

func FuzzRender(f *testing.F) {
	for _, name := range []string{"small", "rates", "allfailed", "weird", "tiny", "negative"} {
		raw, err := examples()[name].JSON()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var r report.Report
		if json.Unmarshal(raw, &r) != nil {
			return
		}
		if _, err := HTML(&r); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzNumbers(f *testing.F) {
	f.Add(8, 0.0, 6060.1, 1.5, 20.0, 0.5, 2.0, int64(100), int64(90))
	f.Add(-1, 5e-324, 1e308, 1e-300, 1e300, -1.0, 1e-12, int64(math.MinInt64), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, clients int, asked, done, p50, p99, least, most float64, ops, share int64) {
		for _, v := range []float64{asked, done, p50, p99, least, most} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return // not in JSON
			}
		}
		step := report.Step{
			Clients: clients, Repeat: 1, Rate: asked, Op: "get", Operations: ops, OpsPerSecond: done, PerClient: uint64(ops),
			Latency: report.LatencyMs{P50: p50, P99: p99, P999: most, Max: p99},
			Client: report.Clients{
				Min: least, P25: least, P50: p50, P75: most, Max: most, Ops: report.ClientOps{Min: ops, P50: share, Max: share},
			},
		}
		other := step
		other.Clients, other.Rate, other.OpsPerSecond, other.Latency.P50, other.Client.P50 = clients/3+1, done, asked, least, most
		r := report.Report{Steps: []report.Step{step, other, step}, Published: []report.Series{
			{Op: "get", Points: []report.Point{{Clients: clients, OpsPerSecond: p99}, {Clients: clients / 2, OpsPerSecond: most}}},
		}}
		page := rendered(t, &r)
		require.NotRegexp(t, `(d|x|y)="[^"]*(NaN|Inf)`, page)
	})
}
