package main

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

const (
	left, right, top, bottom = 62.0, 10.0, 8.0, 22.0 // margins, in pixels
	unitWidth, unitHeight    = 60, 22                // of a unit of the grid
	gridLines                = 4
)

// color is that of a chart's line.
func color(i int) string {
	colors := [...]string{"#73bf69", "#f2cc0c", "#8ab8ff", "#ff780a", "#f2495c", "#5794f2", "#b877d9", "#705da0"}

	return colors[i%len(colors)]
}

// frame is where a chart's values lie on it.
type frame struct {
	width, height          float64
	fromX, toX, fromY, toY float64
	timeAlong, powersOfTen bool // otherwise powers of two along, and from 0 upwards
}

func newFrame(p panel, lines []line, columns, units int) frame {
	f := frame{
		width: float64(columns*unitWidth) - 24, height: float64(units * unitHeight), timeAlong: p.kind == overTime, powersOfTen: p.logarithmic(),
		fromX: math.Inf(1), toX: math.Inf(-1), fromY: math.Inf(1),
	}
	for _, l := range lines {
		for _, p := range l.points {
			f.fromX, f.toX = min(f.fromX, p.x), max(f.toX, p.x)
			f.fromY, f.toY = min(f.fromY, p.y), max(f.toY, p.y)
		}
	}
	if f.toY == 0 {
		f.toY = 1
	}
	if f.powersOfTen {
		f.fromY, f.toY = math.Pow(10, math.Floor(math.Log10(f.fromY))), math.Pow(10, math.Ceil(math.Log10(f.toY)))

		return f
	}
	f.fromY = 0
	step := math.Pow(10, math.Floor(math.Log10(f.toY/gridLines)))
	for _, times := range []float64{1, 2, 2.5, 5, 10} {
		if step*times*gridLines >= f.toY {
			f.toY = step * times * gridLines

			break
		}
	}

	return f
}

func (f frame) x(value float64) float64 {
	from, to := f.fromX, f.toX
	if !f.timeAlong {
		value, from, to = math.Log2(value), math.Log2(from), math.Log2(to)
	}
	if to == from {
		return left
	}

	return left + (value-from)/(to-from)*(f.width-left-right)
}

func (f frame) y(value float64) float64 {
	share := value / f.toY
	if f.powersOfTen {
		share = math.Log(value/f.fromY) / math.Log(f.toY/f.fromY)
	}

	return top + (1-share)*(f.height-top-bottom)
}

// upwards are the values that the axis on the left names.
func (f frame) upwards() []float64 {
	var values []float64
	if f.powersOfTen {
		for value := f.fromY; value < f.toY*1.1; value *= 10 {
			values = append(values, value)
		}

		return values
	}
	for i := range gridLines + 1 {
		values = append(values, f.toY*float64(i)/gridLines)
	}

	return values
}

// chart draws the lines of a panel: along time, or along clients on a scale of powers of two.
func chart(p panel, lines []line, columns, units int) template.HTML {
	f := newFrame(p, lines, columns, units)
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f">`, f.width, f.height, f.width, f.height)
	for _, value := range f.upwards() {
		fmt.Fprintf(&svg, `<path class="grid" d="M%.1f %.1fH%.1f"/><text x="%.1f" y="%.1f" text-anchor="end">%s</text>`,
			left, f.y(value), f.width-right, left-6, f.y(value)+4, format(value, p.figures[0].unit()))
	}
	for _, at := range f.along(lines) {
		text := clock(at)
		if !f.timeAlong {
			text = fmt.Sprintf("%.0f", at)
		}
		fmt.Fprintf(&svg, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, f.x(at), f.height-6, text)
	}
	for i, l := range lines {
		f.draw(&svg, l, color(i))
	}
	svg.WriteString("</svg>")

	return template.HTML(svg.String()) //nolint:gosec // nothing in it comes from the store but numbers
}

// along are the values that the axis names: times evenly apart, or all numbers of clients.
func (f frame) along(lines []line) []float64 {
	var values []float64
	if f.timeAlong {
		const parts = 5
		for i := 1; i < parts; i++ {
			values = append(values, f.fromX+(f.toX-f.fromX)*float64(i)/parts)
		}

		return values
	}
	seen := map[float64]bool{}
	for _, l := range lines {
		for _, p := range l.points {
			if !seen[p.x] {
				seen[p.x] = true
				values = append(values, p.x)
			}
		}
	}

	return values
}

// draw draws a line, which is broken where nothing was measured for more than two seconds.
func (f frame) draw(svg *strings.Builder, l line, stroke string) {
	const gap = 2000
	path, before := "", math.Inf(-1)
	for _, p := range l.points {
		command := "L"
		if path == "" || f.timeAlong && p.x-before > gap {
			command = "M"
		}
		path += fmt.Sprintf("%s%.1f %.1f", command, f.x(p.x), f.y(p.y))
		before = p.x
		if !f.timeAlong {
			fmt.Fprintf(svg, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>`, f.x(p.x), f.y(p.y), stroke)
		}
	}
	fmt.Fprintf(svg, `<path d="%s" fill="none" stroke="%s" stroke-width="1.5"/>`, path, stroke)
}
