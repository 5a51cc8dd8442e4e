package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type fact struct{ Name, Text string }

type facts struct {
	Title string
	Facts []fact
}

func factsOf(r *report.Report) []facts {
	h := r.Host
	host := facts{Title: "Host of k6"}
	host.add("processor", h.CPU)
	if h.Cores > 0 {
		host.add("cores", report.Thousands(int64(h.Cores)))
	}
	if h.MemBytes > 0 {
		host.add("memory", bytesText(h.MemBytes))
	}
	host.add("system", h.OS)
	for _, f := range r.Fingerprint.Facts() {
		host.add(f.Name, f.Text)
	}

	run := facts{Title: "Run"}
	run.add("scenario", r.Scenario)
	run.add("started", startedText(r.Started))
	run.add("k6", r.K6)
	run.add("command", r.Command)
	run.add("schema", r.Schema)

	target := facts{Title: "Target"}
	target.addAll(r.Target, "kind", "version", "driver", "url")
	params := facts{Title: "Parameters"}
	params.addAll(r.Params)

	return slices.DeleteFunc([]facts{target, host, run, params}, func(f facts) bool { return len(f.Facts) == 0 })
}

func (f *facts) add(name, text string) {
	if text != "" {
		f.Facts = append(f.Facts, fact{name, text})
	}
}

// addAll adds the values sorted by name, after those in first.
func (f *facts) addAll(values map[string]any, first ...string) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(name string) bool { return slices.Contains(first, name) })
	for _, name := range append(first, names...) {
		if v, known := values[name]; known {
			f.add(name, report.PlainText(v))
		}
	}
}

func startedText(t time.Time) string {
	if t.IsZero() {
		return ""
	}

	return t.Format("2006-01-02 15:04:05 MST")
}

// publishedTable has the published figures: a row for each number of clients, a column for each
// series.
type publishedTable struct {
	Series []publishedSeries
	Table  table
}

type publishedSeries struct{ Letter, Label, Op, Machine, Source string }

func publishedTableOf(r *report.Report) publishedTable {
	t := publishedTable{Table: table{ID: "published-table", Caption: "ops/s as published", Columns: []column{{Name: "clients"}}}}
	rows := map[int][]cell{}
	for i, one := range r.Published {
		t.Series = append(t.Series, publishedSeries{letter(i), one.Label, one.Op, cmp.Or(one.Machine, "not told"), strings.TrimSpace(one.Source)})
		t.Table.Columns = append(t.Table.Columns, column{Name: letter(i), Tip: one.Label})
		for _, point := range one.Points {
			cells := rows[point.Clients]
			if cells == nil {
				cells = append(cells, cell{Text: fmt.Sprint(point.Clients), Head: true, Class: "n"})
				cells = append(cells, slices.Repeat([]cell{{Text: "–", Class: "n"}}, len(r.Published))...)
				rows[point.Clients] = cells
			}
			cells[i+1].Value, cells[i+1].Text = exact(point.OpsPerSecond), rate(point.OpsPerSecond)
		}
	}
	for _, clients := range slices.Sorted(maps.Keys(rows)) {
		t.Table.add(rows[clients]...)
	}

	return t
}

// maxPublished is the most published series in a plot; the table has all.
const maxPublished = 6

// publishedShape is a published series, scaled to the measured one.
type publishedShape struct {
	letter string
	factor float64 // scale of the published figures
	series report.Series
	points []report.Point // points that can be drawn, sorted by clients
}

// shapesOf returns the published series of the measured kinds of operations; none for an open loop.
func shapesOf(s *sweep) []publishedShape {
	var out []publishedShape
	for i, one := range s.report.Published {
		measured := peak(s, one.Op)
		points := slices.DeleteFunc(slices.Clone(one.Points), func(p report.Point) bool {
			return !drawable(float64(p.Clients), true) || !drawable(p.OpsPerSecond, false)
		})
		slices.SortStableFunc(points, func(a, b report.Point) int { return a.Clients - b.Clients })
		highest := 0.0
		for _, point := range points {
			highest = max(highest, point.OpsPerSecond)
		}
		if s.byRate || measured == 0 || highest == 0 || len(out) == maxPublished {
			continue
		}
		out = append(out, publishedShape{letter: letter(i), factor: measured / highest, series: one, points: points})
	}

	return out
}

// letter identifies the i-th published series in plot and table.
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}

	return fmt.Sprintf("a%d", i+1)
}

// peak returns the highest median of a kind of operation; zero if it was not measured.
func peak(s *sweep, op string) float64 {
	highest := 0.0
	for _, one := range s.series {
		if one.kind != op {
			continue
		}
		for _, g := range one.groups {
			if v := report.Median(g.Values(opsPerSecond)); drawable(v, false) {
				highest = max(highest, v)
			}
		}
	}

	return highest
}

// drawPublished draws each series with its letter at a different point, because they all end in the
// same place.
func drawPublished(p *plot, x, y *axis, published []publishedShape) {
	highest := map[float64]float64{} // y by x
	lines := make([][]xy, len(published))
	for i, one := range published {
		lines[i] = p.publishedPoints(x, y, one, fmt.Sprintf("published d%d point", i), i)
		for _, at := range lines[i] {
			if top, known := highest[at.x]; !known || at.y < top {
				highest[at.x] = at.y
			}
		}
	}
	var taken []xy
	for i, line := range lines {
		if len(line) == 0 {
			continue
		}
		if len(line) > 1 {
			p.draw(fmt.Sprintf("line published d%d", i), polyline(line...))
		}
		at, above := placeOfLetter(line, i, highest, taken)
		taken = append(taken, at)
		anchor := "start"
		if above {
			anchor = "end"
		}
		p.write(at.x, at.y, "letter", anchor, published[i].letter)
	}
}

// placeOfLetter returns a free place for the i-th series' letter: above its line if that is the
// highest there, else below. It starts after the i-th point, and falls back to the side.
func placeOfLetter(line []xy, i int, highest map[float64]float64, taken []xy) (at xy, above bool) {
	for aside := 0.0; ; aside += textHeight {
		for n := range line {
			point := line[(i+1+n)%len(line)]
			at, above = xy{point.x + 4 + aside, point.y + 11}, false
			if point.y == highest[point.x] {
				at, above = xy{point.x - 4 + aside, point.y - 5}, true
			}
			if !slices.ContainsFunc(taken, func(other xy) bool {
				return math.Abs(other.x-at.x) < textHeight && math.Abs(other.y-at.y) < textHeight
			}) {
				return at, above
			}
		}
	}
}

// publishedPoints marks the points of a series within the x axis and returns their places.
func (p *plot) publishedPoints(x, y *axis, one publishedShape, class string, n int) []xy {
	var line []xy
	for _, point := range one.points {
		clients := float64(point.Clients)
		atX, ok := x.at(clients)
		atY, drawn := y.at(point.OpsPerSecond * one.factor)
		if !ok || !drawn || clients < x.lo || clients > x.hi {
			continue
		}
		line = append(line, xy{atX, atY})
		p.Marks = append(p.Marks, mark{
			Class: class, D: shape(n, xy{atX, atY}, publishedSize),
			Tip: fmt.Sprintf("%s, published, another machine: %s: %s", one.series.Label, report.Counted(int64(point.Clients), "client"),
				rate(point.OpsPerSecond)),
		})
	}

	return line
}

const publishedSize = 2

type entry struct{ Mark, Text string }

// legend explains the letters, with the origin if it differs between series.
func legend(published []publishedShape) []entry {
	out := make([]entry, 0, len(published))
	for _, one := range published {
		text := fmt.Sprintf("%s, %sx", one.series.Label, shortFactor(one.factor))
		if !sameOrigin(published) {
			text += ": " + origin(one.series)
		}
		out = append(out, entry{Mark: one.letter, Text: text})
	}

	return out
}

func sameOrigin(published []publishedShape) bool {
	return !slices.ContainsFunc(published, func(one publishedShape) bool {
		return origin(one.series) != origin(published[0].series)
	})
}

// sayPublished explains the dashed lines.
func (f *figure) sayPublished(published []publishedShape) {
	if len(published) == 0 {
		return
	}
	where := ""
	if sameOrigin(published) {
		where = " (" + origin(published[0].series) + ")"
	}
	f.say("Dashed lines with a letter are published figures of another machine%s: shape only, scaled, so that the maximum "+
		"of each equals the measured one.", where)
	f.Legend = legend(published)
}

// origin returns the machine and the source of a series.
func origin(s report.Series) string {
	machine := "which one is not told"
	if s.Machine != "" {
		machine = s.Machine
	}
	if s.Source == "" {
		return machine
	}

	return machine + "; source: " + strings.TrimSpace(s.Source)
}

func shortFactor(v float64) string { return fmt.Sprintf("%.3g", v) }
