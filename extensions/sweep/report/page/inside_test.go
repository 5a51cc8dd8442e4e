package page

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

func insideOf(t *testing.T, page string) []*html.Node {
	t.Helper()
	for _, n := range nodes(t, page) {
		if attr(n, "id") == "inside" {
			var out []*html.Node
			for d := range n.Descendants() {
				if d.Type == html.ElementNode {
					out = append(out, d)
				}
			}

			return out
		}
	}

	return nil
}

// Events are described, shown under the pointer, and listed.
func TestInsideAStep(t *testing.T) {
	all := insideOf(t, rendered(t, newMaker().small()))
	require.Len(t, elements(all, "svg"), 1, "only one step has kept its time")
	desc := text(elements(all, "desc")[0])
	for _, want := range []string{
		"50 slots in slots of 0.010s.", "ops/s between 0/s and 4,000/s.", "at 0.250s: failover (3 times).", "2 failed operations, at most 2 in a slot.",
		"garbage collections of k6: it stood still for at most 1.000ms of 0.100s", "woke up to 30.0ms late", "up to 50 % of the processors",
		"The slowest operation: 177ms, client 7, from 0.160s on; its answer waited 3.000ms to be read.",
	} {
		require.Contains(t, desc, want)
	}
	tips := map[string]int{}
	for _, n := range elements(all, "path") {
		if title := firstElement(n); title != nil {
			tips[attr(n, "class")]++
			if attr(n, "class") == "slot" && tips["slot"] == 35 {
				require.Regexp(t, `^0\.340s: 4,000/s, p50 [0-9.]+ms, p99 [0-9.]+ms, 2 failed$`, text(title))
			}
		}
	}
	require.Equal(t, 50, tips["slot"])
	require.Equal(t, 8, tips["slow"])
	require.Equal(t, 1, tips["happened"])
	require.Equal(t, "1 at 0.250s: failover (3 times)", strings.TrimSpace(text(elements(all, "li")[0])))

	rows := elements(all, "tr")
	require.Len(t, rows, 9)
	require.Equal(t, "beganclienttookwaited for a clientwire and serverwaited to be read", strings.TrimSpace(text(rows[0])))
	require.Equal(t, []string{"0.160s", "7", "177ms", "0.000ms", "174ms", "3.000ms"}, cellsOf(rows[1]))
	require.Equal(t, []string{"0.160s", "6", "176ms", "20.0ms", "≤ 156ms", "–"}, cellsOf(rows[2]))
	require.Len(t, elements(all, "summary"), 1, "a keyboard opens it")
}

func cellsOf(row *html.Node) []string {
	var out []string
	for c := row.FirstChild; c != nil; c = c.NextSibling {
		out = append(out, text(c))
	}

	return out
}

func TestLanesEndWithTheStep(t *testing.T) {
	m := newMaker()
	s := m.step(8, 1, 100, "rollup", 9000, m.stalled)
	names := func() (names []string) {
		for _, l := range lanesOf(&s) {
			names = append(names, l.name)
		}

		return names
	}
	require.Equal(t, []string{"failed", "GC", "k6 late", "stolen"}, names())
	s.Witness.OverTime.GCPauseMs = []float64{0, 0, 0, 0, 0, 9, 9}
	s.Witness.OverTime.Stolen = []float64{0, 0, 0, 0, 0.3, 0.9}
	require.Equal(t, []string{"failed", "k6 late", "stolen"}, names())
	require.Contains(t, lanesOf(&s)[2].tip, "up to 30 %")
}

func TestNothingInsideOfOlderReports(t *testing.T) {
	require.Nil(t, insideOf(t, pages()["plain"]))
	require.NotContains(t, pages()["plain"], "Inside each step")
}

// A stall of 170 ms is a bar of 170 ms, and no operation is missing.
func TestHeatShowsAStall(t *testing.T) {
	m := newMaker()
	r := m.small()
	s := newSweep(r)
	p := &timePlot{plot: &plot{right: timeRight}, sweep: s, step: &r.Steps[1]}
	var err error
	p.over, err = p.step.Measured()
	require.NoError(t, err)
	rows := newHeatRows(p.over)
	cells := p.cells(&rows)
	var slow []uint64
	var ended int64
	for row, numbers := range cells {
		fastest := rows.first + rows.count - 1 - row
		if float64(fastest) >= rows.of(150*time.Millisecond) {
			slow = append(slow, sum(numbers))
			for slot := 17; slot <= 33; slot++ {
				require.LessOrEqual(t, numbers[slot], uint64(8))
			}
		}
		ended += int64(numbers[33])
	}
	require.NotEmpty(t, slow)
	require.EqualValues(t, 8, ended, "in the slot in which they ended")
	under := uint64(0)
	for _, numbers := range cells {
		under += numbers[25]
	}
	require.EqualValues(t, 8, under, "in the middle of the stall")
	before := uint64(0)
	for _, numbers := range cells {
		before += numbers[5]
	}
	require.EqualValues(t, 40, before)
}

func sum(numbers []uint64) (n uint64) {
	for _, one := range numbers {
		n += one
	}

	return n
}

// Colours differ in brightness from the paper and from each other, for colour-blind readers and
// grey prints.
func TestHeatColoursCanBeToldApart(t *testing.T) {
	raw, err := files.ReadFile("templates/style.gohtml")
	require.NoError(t, err)
	light, dark, _ := strings.Cut(string(raw), "prefers-color-scheme: dark")
	for name, scheme := range map[string]string{"light": light, "dark": dark} {
		paper := regexp.MustCompile(`--paper: (#[0-9a-f]{6});`).FindStringSubmatch(scheme)[1]
		before := paper
		for level := range heatLevels {
			colour := regexp.MustCompile(fmt.Sprintf(`--h%d: (#[0-9a-f]{6});`, level)).FindStringSubmatch(scheme)[1]
			least := 1.18
			if level == 0 {
				least = 2
			}
			require.GreaterOrEqual(t, contrast(t, before, colour), least, "%s: h%d", name, level)
			require.Greater(t, contrast(t, paper, colour), contrast(t, paper, before), "%s: h%d is farther from the paper", name, level)
			before = colour
		}
	}
}

// The page of a published sweep, with 7 steps and the most slots allowed, stays below 2 MB.
func TestPublishedPageIsSmall(t *testing.T) {
	m := newMaker()
	var steps []report.Step
	for _, clients := range []int{1, 8, 16, 32, 64, 128, 512} {
		steps = append(steps, m.step(clients, 1, 10_000, "rollup", 9000, func(s *report.Step) { m.scattered(t, s) }))
	}
	page := rendered(t, m.madeUp(steps))
	require.Len(t, elements(insideOf(t, page), "svg"), 7)
	require.Less(t, len(page), 2<<20)
	t.Log(len(page))
}

// scattered gives a step 300 slots with realistic latencies.
func (m *maker) scattered(t *testing.T, s *report.Step) {
	t.Helper()
	over := &measure.OverTime{Width: 160 * time.Millisecond}
	for range measure.MostSlots {
		var took measure.Coarse
		for range 33 * s.Clients {
			took.Record(time.Duration(2e5 * float64(s.Clients) * math.Exp(0.7*m.random.NormFloat64())))
		}
		over.Slots = append(over.Slots, measure.NewSlot(0, &took))
	}
	r := measure.Reading{Started: true, Complete: true, Elapsed: 48 * time.Second, Ops: []measure.Totals{{Op: s.Op, OverTime: over}}}
	made := report.NewSteps(&r, *s, "", report.CPUSeconds{})
	s.OverTime, s.Seconds = made[0].OverTime, 48
}

func TestInsideOfADuet(t *testing.T) {
	m := newMaker()
	var steps []report.Step
	for _, variant := range []string{report.Base, report.Change} {
		steps = append(steps, m.step(8, 1, 100, "rollup", 9000, m.stalled, func(s *report.Step) {
			s.Variant, s.PerClient = variant, 0
			s.OverTime.StepSeconds = s.Seconds
			s.OverTime.TurnSeconds = make([]float64, len(s.OverTime.Failed))
			s.Seconds /= 2
		}))
	}
	all := insideOf(t, rendered(t, m.madeUp(steps)))
	require.Len(t, elements(all, "svg"), 2)
	for i, variant := range []string{report.Base, report.Change} {
		require.Regexp(t, variant+"$", text(elements(all, "h4")[i]))
		var ticks []string
		for d := range elements(all, "svg")[i].Descendants() {
			if attr(d, "class") == "tick" {
				ticks = append(ticks, text(d))
			}
		}
		require.Contains(t, ticks, "0.5", "the axis is of half a second, though the variant had a quarter")
	}
	require.Contains(t, text(elements(all, "figcaption")[0]), "Variants of a duet took turns")
}

func TestPageOfADuet(t *testing.T) {
	m := newMaker()
	var steps []report.Step
	for i, variant := range []string{report.Base, report.Change} {
		steps = append(steps, m.step(8, 1, 100, "rollup", 9000, func(s *report.Step) {
			s.Variant, s.PerClient, s.Client, s.OpsPerSecond = variant, 0, report.Clients{}, 9000+1000*float64(i)
			s.Witness = &report.Witness{LimitedBy: witness.Neighbour, Why: "Others were at work."}
		}))
	}
	r := m.madeUp(steps)
	r.Duets = []report.Duet{{
		Clients: 8, Repeat: 1, Op: "rollup", Slices: 400, SliceSeconds: 0.05, Blocks: 100,
		Figures: []report.DuetFigure{{Figure: "opsPerSecond", Base: 9000, Change: 10000, Ratio: 1.111, Low: 1.1, High: 1.122, Visible: 0.01}},
	}}
	page := rendered(t, r)
	all := text(nodes(t, page)[0])
	require.Contains(t, all, "With 8 clients:")
	require.Contains(t, all, "rollup of base: 9,000 operations a second")
	require.Contains(t, all, "rollup of change: 10,000 operations a second")
	require.Contains(t, all, "A neighbour limited 1 of 1 step.")
	for _, n := range nodes(t, page) {
		if key := attr(n, "data-key"); strings.HasPrefix(key, "client.") {
			require.Equal(t, "–", text(n), key)
		}
	}
	require.Contains(t, all, "Each client worked for both variants in turn")
	for _, list := range elements(nodes(t, page), "ul") {
		if attr(list, "aria-label") == "Duet" {
			require.Contains(t, text(list), "8 clients: change beside base: ops/s better, 1.111x (1.100 to 1.122)")

			return
		}
	}
	require.Fail(t, "the duet is not told of")
}

func TestNumbersOfMarksAreApart(t *testing.T) {
	m := newMaker()
	r := m.madeUp([]report.Step{m.step(8, 1, 100, "rollup", 9000, func(s *report.Step) { m.scattered(t, s) })})
	s := &r.Steps[0]
	s.Started = r.Started
	for i := range 12 {
		r.Marks = append(r.Marks, report.Mark{At: s.Started.Add(time.Duration(i) * 5 * time.Millisecond), Text: "again"})
	}
	var at []float64
	all := insideOf(t, rendered(t, r))
	for _, n := range elements(all, "text") {
		if attr(n, "class") == "flag-number" {
			x, err := strconv.ParseFloat(attr(n, "x"), 64)
			require.NoError(t, err)
			at = append(at, x)
		}
	}
	require.Len(t, at, 12)
	require.GreaterOrEqual(t, at[0], plotLeft)
	for i, x := range at[1:] {
		require.GreaterOrEqual(t, x-at[i], 17.9)
	}
	ends := map[string]bool{}
	for _, n := range elements(all, "path") {
		if attr(n, "class") == "happened" {
			ends[attr(n, "d")] = true
		}
	}
	require.Len(t, ends, 12)
}

func TestInsideOfManySteps(t *testing.T) {
	m := newMaker()
	var steps []report.Step
	for repeat := 1; repeat <= 5; repeat++ {
		for _, clients := range []int{1, 2, 4, 8, 16, 32} {
			steps = append(steps, m.step(clients, repeat, 100, "rollup", 9000, m.stalled))
		}
	}
	page := rendered(t, m.madeUp(steps))
	all := insideOf(t, page)
	require.Len(t, elements(all, "svg"), 6)
	require.Contains(t, text(elements(all, "figcaption")[0]), "Shown are 6 of the steps")
	require.Regexp(t, `^1 client, repeat \d$`, text(elements(all, "h4")[0]))
}

func TestInsideOfABrokenHeat(t *testing.T) {
	m := newMaker()
	r := m.madeUp([]report.Step{m.step(8, 1, 100, "rollup", 9000, m.stalled, func(s *report.Step) { s.OverTime.Heat[0] = []uint64{999} })})
	require.Contains(t, rendered(t, r), "overTime.heat: slot 0 has 0 counters from 999 on")
}

func TestHeatLevelsAreOfTheLogarithm(t *testing.T) {
	const most = 10_000_000
	require.Equal(t, -1, heatLevel(0, most))
	for level, n := range []uint64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000, most} {
		require.Equal(t, level, heatLevel(n, most), n)
	}
	require.Equal(t, heatLevels-1, heatLevel(1, 1))
}

func TestHeatRows(t *testing.T) {
	r := heatRows{perOctave: 8, first: 0, count: 64}
	for _, tt := range []struct {
		d    time.Duration
		want float64
	}{{0, 0}, {128, 1}, {1023, 7.9921875}, {1024, 8}, {1152, 9}, {2048, 16}, {4096, 24}, {6144, 28}} {
		require.InDelta(t, tt.want, r.of(tt.d), 1e-9, strconv.Itoa(int(tt.d)))
	}
	require.InDelta(t, heatBottom, r.at(0), 1e-9)
	require.InDelta(t, heatTop, r.at(time.Hour), 1e-9)
}
