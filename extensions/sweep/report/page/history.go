package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/history"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type historyDocument struct {
	Title  string
	Notes  []string
	Setups []historySetup
}

// historySetup is one scenario on one class of machine with the same parameters.
type historySetup struct {
	ID, Scenario string
	Summary      string
	Changes      table
	Figures      []figure
	Facts        []fact
}

// HistoryHTML renders a history as one page.
func HistoryHTML(h *history.History) ([]byte, error) {
	d := &historyDocument{Title: "History", Notes: h.Notes}
	var scenarios []string
	for i := range h.Setups {
		s := &h.Setups[i]
		if !slices.Contains(scenarios, s.Scenario) {
			scenarios = append(scenarios, s.Scenario)
		}
		d.Setups = append(d.Setups, newHistorySetup(s, i))
	}
	if len(scenarios) > 0 {
		d.Title = "History of " + strings.Join(scenarios, ", ")
	}

	return execute("history", "the history", d)
}

func newHistorySetup(s *history.Setup, n int) historySetup {
	out := historySetup{ID: fmt.Sprintf("setup-%d", n+1), Scenario: s.Scenario}
	for _, name := range slices.Sorted(maps.Keys(s.Facts)) {
		out.Facts = append(out.Facts, fact{name, s.Facts[name]})
	}
	place := map[string]int{}
	for i, c := range s.Commits {
		place[c.ID] = i
	}
	changes := s.Found()
	slices.SortStableFunc(changes, func(a, b history.Found) int { return cmp.Compare(place[b.Change.First.ID], place[a.Change.First.ID]) })
	out.Changes = table{
		ID: out.ID + "-changes", Class: "texts beside",
		Caption: "Where figures changed, the newest first. A size is that of the level after to the one before, with its interval of 95 %.",
		Columns: []column{
			{Name: "commit", Text: true}, {Name: "subject", Text: true}, {Name: "figure", Text: true}, {Name: "change", Text: true},
			{Name: "how sure the commit is", Text: true}, {Name: "changed there as well", Text: true},
		},
	}
	for _, f := range changes {
		c, class := f.Change, "good"
		if c.Worse {
			class = "bad"
		}
		out.Changes.add(head(c.First.Short()), cell{Text: c.First.Subject, Class: "text"}, cell{Text: f.Series.Name(), Class: "text"},
			cell{Text: c.Text(), Class: class}, cell{Text: c.Between()}, cell{Text: strings.Join(c.Also, "; "), Class: "text"})
	}
	out.Summary = fmt.Sprintf("%s of %s, %s in %s.", report.Counted(int64(s.Runs), "run"), report.Counted(int64(len(s.Commits)), "commit"),
		report.Counted(int64(len(changes)), "change"), report.Counted(int64(len(s.Series)), "series"))
	out.Summary = strings.Replace(out.Summary, "seriess", "series", 1)
	out.Summary = strings.Join(append([]string{out.Summary}, s.Remarks()...), " ")
	out.Figures = historyFigures(s, out.ID, place)

	return out
}

func historyFigures(s *history.Setup, id string, place map[string]int) (figures []figure) {
	index := map[report.Key]int{}
	for i := range s.Series {
		one := &s.Series[i]
		at, known := index[one.Key]
		if !known {
			at = len(figures)
			index[one.Key] = at
			figures = append(figures, figure{ID: fmt.Sprintf("%s-step-%d", id, at+1), Number: at + 1, Title: one.Key.Name()})
		}
		f := &figures[at]
		if p := historyPlot(one, len(s.Commits), place); p != nil {
			p.ID = fmt.Sprintf("%s-plot-%d", f.ID, len(f.Plots)+1)
			f.Plots = append(f.Plots, p)
		}
	}

	return figures
}

// historyMargin is the free share of an axis above and below the values.
const historyMargin = 0.08

// historyPlot plots a series over the commits; nil without values.
func historyPlot(s *history.Series, commits int, place map[string]int) *plot {
	values := make([]float64, 0, len(s.Points))
	for _, p := range s.Points {
		values = append(values, p.Value)
	}
	sorted := slices.Sorted(slices.Values(values))
	const out = 50 // one of this many values may be beyond the axis at each end
	lo, hi, ok := extent(sorted[len(sorted)/out:len(sorted)-len(sorted)/out], false)
	if !ok {
		return nil
	}
	margin := math.Max(historyMargin*(hi-lo), hi/100)
	p := newPlot(nil)
	x := axis{scale: scale{hi: math.Max(float64(commits), 1), from: plotLeft, to: p.right}, title: "commits, the newest on the right"}
	y := linearAxis(s.Figure.Unit, math.Max(lo-margin, 0), hi+margin, plotBottom, plotTop, tickText)
	p.frame(&x, &y)
	p.Marks = append(p.Marks, mark{Class: "dots b0", D: historyDots(s, &x, &y, place)})
	told := drawLevels(p, s, &x, &y, place)
	p.Heading = s.Figure.Name
	p.Title = s.Name() + " over the commits"
	p.Desc = fmt.Sprintf("%s, the last %s. %s", report.Counted(int64(len(values)), "value"), s.Figure.Show(values[len(values)-1]), told)

	return p
}

// historyDots returns one path with a dot for each value. Values beyond the axis are drawn at its
// end.
func historyDots(s *history.Series, x, y *axis, place map[string]int) string {
	var b strings.Builder
	for _, point := range s.Points {
		at, ok := historyAt(x, y, place[point.Commit.ID], point.Value)
		if ok {
			fmt.Fprintf(&b, "M%s %sh0", coordinate(at.x), coordinate(at.y))
		}
	}

	return b.String()
}

func historyAt(x, y *axis, commit int, value float64) (xy, bool) {
	return place(x, y, float64(commit)+0.5, math.Min(math.Max(value, y.lo), y.hi))
}

// drawLevels draws the median of each level and a line at each change, and returns a description.
func drawLevels(p *plot, s *history.Series, x, y *axis, place map[string]int) string {
	var told []string
	begin := 0
	for i := 0; i <= len(s.Changes); i++ {
		end := len(s.Points)
		if i < len(s.Changes) {
			end = s.Changes[i].At
		}
		values := make([]float64, 0, end-begin)
		for _, point := range s.Points[begin:end] {
			values = append(values, point.Value)
		}
		from, okFrom := historyAt(x, y, place[s.Points[begin].Commit.ID], report.Median(values))
		to, okTo := historyAt(x, y, place[s.Points[end-1].Commit.ID], report.Median(values))
		if okFrom && okTo {
			p.draw("level", polyline(from, to))
		}
		if i < len(s.Changes) {
			told = append(told, drawChange(p, &s.Changes[i], x, place))
		}
		begin = end
	}
	if len(told) == 0 {
		return "No change was found."
	}

	return "Changes: " + enumeration(told) + "."
}

func drawChange(p *plot, c *history.NamedChange, x *axis, place map[string]int) string {
	class := "turn good-turn"
	if c.Worse {
		class = "turn bad-turn"
	}
	at, _ := x.at(float64(place[c.First.ID]))
	text := strings.TrimSpace(fmt.Sprintf("%s at %s %s", c.Text(), c.First.Short(), c.First.Subject))
	p.Marks = append(p.Marks, mark{Class: class, D: polyline(xy{at, plotTop}, xy{at, plotBottom}), Tip: text})

	return text
}
