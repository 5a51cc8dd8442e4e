package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed page.html
var pageHTML string

// drawnRow and drawnPanel are what the page shows of the dashboard's.
type drawnRow struct {
	Title  string
	Panels []drawnPanel
}

type drawnPanel struct {
	Title  string
	Chart  template.HTML
	Legend []legend
	Head   []string
	Rows   [][]string
}

type legend struct {
	Color template.CSS
	Name  string
}

// drawPage draws the answers of InfluxDB to the queries of its dashboard. It is an error where no
// panel has anything to show.
func drawPage(out io.Writer, chosen choice, answers []answer) error {
	page, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return err
	}
	shown := map[string][]series{}
	values := 0
	for _, a := range answers {
		shown[a.panel] = append(shown[a.panel], a.series...)
		if a.panel != "" {
			values += a.values()
		}
	}
	if values == 0 {
		return fmt.Errorf("there is nothing of the run %q of %s", *chosen.Instance, *chosen.Scenario)
	}
	fill := strings.NewReplacer("$baseline", *chosen.Baseline)
	var drawn []drawnRow
	for _, r := range rows() {
		row := drawnRow{Title: fill.Replace(r.title)}
		for _, p := range r.panels {
			panel := drawnPanel{Title: fill.Replace(p.title)}
			if p.kind == overTime || p.kind == againstClients {
				lines := linesOf(p, shown[p.title])
				panel.Chart = chart(p, lines, gridWidth/len(r.panels), r.height)
				for i, l := range lines {
					panel.Legend = append(panel.Legend, legend{Color: template.CSS(color(i)), Name: l.name}) //nolint:gosec // one of our own
				}
			} else {
				panel.Head, panel.Rows = table(p, shown[p.title])
			}
			row.Panels = append(row.Panels, panel)
		}
		drawn = append(drawn, row)
	}

	return page.Execute(out, map[string]any{"Scenario": *chosen.Scenario, "Instance": *chosen.Instance, "Rows": drawn})
}

// line is one of a chart's.
type line struct {
	name   string
	points []point
}

type point struct{ x, y float64 }

// linesOf has a line for each figure, operation and run; over time also for each step. As in the
// dashboard, names say what differs.
func linesOf(p panel, found []series) []line {
	lines := map[string]*line{}
	var names []string
	for _, s := range found {
		for _, f := range p.figures {
			at := slices.Index(s.columns, f.name())
			name := s.tags["op"]
			if p.anyOperation() {
				name = f.name()
			} else if len(p.figures) > 1 {
				name = f.name() + " " + name
			}
			if p.baseline {
				name += ", " + s.tags["instance"]
			}
			if lines[name] == nil {
				lines[name] = &line{name: name}
				names = append(names, name)
			}
			lines[name].points = append(lines[name].points, pointsOf(s, at, p.kind)...)
		}
	}
	slices.Sort(names)
	all := make([]line, 0, len(names))
	for _, name := range names {
		slices.SortFunc(lines[name].points, func(a, b point) int { return int(a.x - b.x) })
		all = append(all, *lines[name])
	}

	return all
}

func pointsOf(s series, column int, k kind) []point {
	var points []point
	for _, row := range s.rows {
		y, ok := row[column].(float64)
		if !ok {
			continue
		}
		x, _ := row[0].(float64)
		if k == againstClients {
			x, _ = strconv.ParseFloat(s.tags["clients"], 64)
		}
		points = append(points, point{x, y})
	}

	return points
}

// table has the tags that there are, and the figures.
func table(p panel, found []series) (head []string, rows [][]string) {
	for _, name := range []string{"clients", "rate", "op", "repeat"} {
		if slices.ContainsFunc(found, func(s series) bool { return s.tags[name] != "" || slices.Contains(s.columns, name) && name != "rate" }) {
			head = append(head, name)
		}
	}
	for _, f := range p.figures {
		head = append(head, f.name())
	}
	for _, s := range found {
		for _, values := range s.rows {
			cells := maps.Clone(s.tags)
			if cells == nil {
				cells = map[string]string{}
			}
			for i, name := range s.columns {
				cells[name] = cell(p, name, values[i])
			}
			row := make([]string, 0, len(head))
			for _, name := range head {
				row = append(row, cells[name])
			}
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b []string) int {
		x, _ := strconv.Atoi(a[0])
		y, _ := strconv.Atoi(b[0])

		return cmp.Or(x-y, slices.Compare(a, b))
	})

	return head, rows
}

func cell(p panel, column string, value any) string {
	number, ok := value.(float64)
	if !ok {
		if value == nil {
			return ""
		}

		return fmt.Sprint(value)
	}
	for _, f := range p.figures {
		switch {
		case f.name() != column:
		case p.kind == change:
			return fmt.Sprintf("%+.1f%%", number*100)
		default:
			return format(number, f.unitOfSteps())
		}
	}

	return fmt.Sprint(value)
}

// format writes a value with its unit.
func format(value float64, unit string) string {
	switch unit {
	case "ops":
		return thousands(value) + "/s"
	case "Bps":
		return thousands(value) + "B/s"
	case "ms":
		if value >= 1000 {
			return digits(value/1000) + "s"
		}

		return digits(value) + "ms"
	case "percentunit":
		return digits(value*100) + "%"
	default:
		return thousands(value)
	}
}

func thousands(value float64) string {
	for _, prefix := range []string{"", "k", "M"} {
		if value < 1000 {
			return digits(value) + prefix
		}
		value /= 1000
	}

	return digits(value) + "G"
}

// digits has three of them that count, or all before the point.
func digits(value float64) string {
	if value == 0 {
		return "0"
	}
	places := max(0, 2-int(math.Floor(math.Log10(math.Abs(value)))))
	text := strconv.FormatFloat(value, 'f', places, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}

	return text
}

func clock(ms float64) string { return time.UnixMilli(int64(ms)).UTC().Format("15:04:05") }
