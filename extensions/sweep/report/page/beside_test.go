package page

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// variants makes a run of two drivers as variants, with four repeats.
func (m *maker) variants() *report.Report {
	var steps []report.Step
	for _, clients := range []int{1, 8, 64} {
		for repeat := range 4 {
			for i, name := range []string{"machgo", "native"} {
				steps = append(steps, m.step(clients, repeat+1, 100, name, 8500*float64(i+1), func(s *report.Step) { s.Variant = name }))
			}
		}
	}

	return m.madeUp(steps)
}

func (m *maker) repeated(clients []int, repeats int, capacity float64) *report.Report {
	var steps []report.Step
	for _, n := range clients {
		for repeat := range repeats {
			steps = append(steps, m.step(n, repeat+1, 500, "rollup", capacity))
		}
	}

	return m.madeUp(steps)
}

var besideExamples = sync.OnceValue(func() map[string][]report.NamedRun {
	m := newMaker()
	eight := make([]report.NamedRun, 8)
	for i := range eight {
		eight[i] = report.NamedRun{Name: fmt.Sprintf("build-%d", i+1), Report: m.repeated([]int{1, 8, 16, 32, 64, 128, 512}, 4, 8000+400*float64(i))}
		eight[i].Report.Params["build"] = i
	}
	rates := func() report.NamedRun { return report.NamedRun{Name: "rates", Report: examples()["rates"]} }

	return map[string][]report.NamedRun{
		"eight":  eight,
		"two":    {{Name: "old", Report: m.repeated([]int{1, 8}, 4, 8000)}, {Name: "new", Report: m.repeated([]int{1, 8}, 4, 9000)}},
		"single": {{Name: "old", Report: m.repeated([]int{8}, 1, 8000)}, {Name: "new", Report: m.repeated([]int{8}, 1, 9000)}},
		"kinds":  {{Name: "a", Report: examples()["many"]}, {Name: "b", Report: examples()["several"]}, {Name: "c", Report: examples()["allfailed"]}},
		"rates":  {rates(), {Name: "again", Report: examples()["rates"]}},
		"weird":  {{Name: weird, Report: examples()["weird"]}, {Name: "bare", Report: examples()["bare"]}, {Name: "huge", Report: examples()["huge"]}},
		"wrong":  {{Name: "negative", Report: examples()["negative"]}, {Name: "tiny", Report: examples()["tiny"]}},
	}
})

func renderedBeside(t *testing.T, runs []report.NamedRun) string {
	t.Helper()
	c, err := report.NewBeside(runs)
	require.NoError(t, err)
	page, err := BesideHTML(c)
	require.NoError(t, err)

	return string(page)
}

// Differences come before the figures, and each run has a curve.
func TestRunsSideBySide(t *testing.T) {
	all := nodes(t, renderedBeside(t, besideExamples()["eight"]))
	byID := func(id string) *html.Node {
		t.Helper()
		found := find(all, func(n *html.Node) bool { return attr(n, "id") == id })
		require.Len(t, found, 1, id)

		return found[0]
	}
	require.Contains(t, text(byID("differ-table")), "params.build")
	order := map[string]int{}
	for i, n := range all {
		if id := attr(n, "id"); id != "" {
			order[id] = i
		}
	}
	require.Less(t, order["differ-table"], order["beside-curves-ops_per_second"])
	for _, id := range []string{"beside-curves-ops_per_second-1", "beside-curves-p50-1", "beside-curves-p99-1"} {
		curves := map[string]bool{}
		for n := range byID(id).Descendants() {
			if class := attr(n, "class"); strings.HasPrefix(class, "line b") {
				curves[class] = true
			}
		}
		require.Len(t, curves, 8, id)
	}
	bars := 0
	for n := range byID("beside-ratios-ops_per_second-1").Descendants() {
		if strings.HasPrefix(attr(n, "class"), "bar ") {
			bars++
		}
	}
	require.Equal(t, 7*7, bars, "an interval for each run and step")
}

// Cells have exact medians and the verdicts of compare.
func TestRunsSideBySideAreJudgedAsByCompare(t *testing.T) {
	runs := besideExamples()["eight"]
	all := nodes(t, renderedBeside(t, runs))
	for n, f := range report.Compared {
		rows := find(all, func(n *html.Node) bool {
			return n.Data == "tr" && n.Parent.Data == "tbody" && attr(n.Parent.Parent, "id") == "beside-"+f.Key
		})
		require.Len(t, rows, 7)
		for j := 1; j < 8; j++ {
			c, err := report.Compare(runs[0].Report, runs[j].Report, report.CompareOptions{Tolerance: report.DefaultTolerance})
			require.NoError(t, err)
			for i, row := range rows {
				var cells []*html.Node
				for d := range row.Descendants() {
					if d.Data == "td" {
						cells = append(cells, d)
					}
				}
				want := c.Rows[7*n+i]
				require.Equal(t, exact(want.New.Median), attr(cells[2*j-1], "data-value"))
				require.Equal(t, want.Verdict, attr(cells[2*j], "data-value"))
			}
		}
	}
}

func TestVerdictCells(t *testing.T) {
	for want, c := range map[[3]string]report.BesideCell{
		{"better", "good", ""}:                        {Verdict: report.Better, Ratio: 1.2},
		{"worse", "bad", ""}:                          {Verdict: report.Worse, Ratio: 0.8},
		{"same", "", ""}:                              {Verdict: report.Same, Ratio: 1},
		{"not comparable", "bad", "missing in new"}:   {Verdict: report.NotComparable, LostTo: true, Reason: "missing in new"},
		{"undecided", "", "too few repeats: 1 and 1"}: {Verdict: report.Undecided, Ratio: 1.1, Reason: "too few repeats: 1 and 1"},
	} {
		one := verdictCell(&c)
		require.Equal(t, c.Verdict, one.Value, want)
		require.Equal(t, want[1], one.Class, want)
		require.Equal(t, strings.TrimSuffix(c.Text()+" "+want[2], " "), one.Text, want)
	}
}

func TestCurvesSideBySideAreInOrder(t *testing.T) {
	m := newMaker()
	c, err := report.NewBeside([]report.NamedRun{
		{Name: "a", Report: m.repeated([]int{64, 1, 8}, 2, 8000)}, {Name: "b", Report: m.repeated([]int{8, 64, 1}, 2, 8000)},
	})
	require.NoError(t, err)
	ops, omitted := besideOps(c, false)
	require.Len(t, ops, 1)
	require.Zero(t, omitted)
	var clients []int
	for _, s := range ops[0].steps {
		clients = append(clients, s.Clients)
	}
	require.Equal(t, []int{1, 8, 64}, clients)
}

func TestKindsOfOperationsBeyondTheFigures(t *testing.T) {
	c := &report.Beside{}
	for i := range maxSeries + 3 {
		for _, clients := range []int{1, 8} {
			c.Steps = append(c.Steps, report.BesideStep{Key: report.Key{Op: fmt.Sprint("op", i), Clients: clients}})
		}
	}
	ops, omitted := besideOps(c, false)
	require.Len(t, ops, maxSeries)
	require.Equal(t, 3, omitted)
}

func TestVariantsSideBySide(t *testing.T) {
	page := pages()["variants"]
	all := nodes(t, page)
	require.Len(t, find(all, func(n *html.Node) bool { return attr(n, "id") == "beside-ops_per_second" }), 1)
	require.Contains(t, page, "beside machgo")
	for name, page := range pages() {
		require.Equal(t, name == "variants", strings.Contains(page, `id="beside"`), name)
	}
}

// Only marks of certain results are filled.
func TestMarksOfVerdicts(t *testing.T) {
	for verdict, want := range map[string]string{
		report.Better: "marker b1", report.Worse: "marker b1", report.Same: "hollow b1", report.NotComparable: "hollow b1",
	} {
		p, y := newPlot(nil), ratioAxis(0.9, 1.2)
		p.ratioMark(&report.BesideCell{Ratio: 1.1, Verdict: verdict}, 1, xy{100, 100}, &y, "tip")
		require.Equal(t, want, p.Marks[len(p.Marks)-1].Class, verdict)
	}
}

// Each figure names the better direction; ratios far from 1 have a logarithmic axis.
func TestRatiosSayWhatIsBetter(t *testing.T) {
	page := renderedBeside(t, besideExamples()["two"])
	for figure, side := range map[string]string{"ops_per_second": "above", "p99": "below"} {
		_, after, found := strings.Cut(page, `id="beside-ratios-`+figure+`"`)
		require.True(t, found)
		words, _, found := strings.Cut(after, "<svg")
		require.True(t, found)
		require.Contains(t, words, side+" the line at 1 is better")
	}
	between := func(a axis) float64 {
		low, _ := a.at(1)
		middle, _ := a.at(2)
		high, _ := a.at(4)

		return (middle - low) / (high - low)
	}
	require.InDelta(t, 0.5, between(ratioAxis(0.5, 8)), 0.001, "logarithmic")
	require.InDelta(t, 1.0/3, between(ratioAxis(1, 4)), 0.001, "linear")
}
