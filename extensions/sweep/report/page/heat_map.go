package page

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const (
	heatLevels = 8
	// maxHeatRows limits the rows, which would otherwise be thinner than a line.
	maxHeatRows = 64
	// firstOctave is in nanoseconds. It is divided as evenly as the others.
	firstOctave = 1024
)

// heatRows are the rows of a heat map: each octave of durations is divided evenly into rows.
type heatRows struct {
	perOctave    float64
	first, count int
}

func newHeatRows(o *measure.OverTime) heatRows {
	fastest, slowest := time.Duration(math.MaxInt64), time.Duration(0)
	for i := range o.Slots {
		o.Slots[i].Each(func(from, _ time.Duration, _ uint64) {
			fastest, slowest = min(fastest, from), max(slowest, from)
		})
	}
	for _, one := range o.Slowest {
		slowest = max(slowest, one.Took)
	}
	r := heatRows{perOctave: 8}
	fastest = min(fastest, slowest)
	for {
		r.first = int(r.of(fastest))
		r.count = int(r.of(slowest)) + 1 - r.first
		if r.count <= maxHeatRows || r.perOctave == 1 {
			return r
		}
		r.perOctave /= 2
	}
}

// of returns the row of a duration, from zero, with a fraction.
func (r *heatRows) of(d time.Duration) float64 {
	v := max(float64(d), 0) / firstOctave
	if v < 1 {
		return v * r.perOctave
	}
	octave := math.Floor(math.Log2(v))

	return (octave + v/math.Exp2(octave)) * r.perOctave
}

func (r *heatRows) at(d time.Duration) float64 {
	part := (r.of(d) - float64(r.first)) / float64(r.count)

	return heatBottom - min(max(part, 0), 1)*(heatBottom-heatTop)
}

func (t *timePlot) heat() {
	rows := newHeatRows(t.over)
	t.heatAxis(&rows)
	cells := t.cells(&rows)
	most := uint64(0)
	for _, row := range cells {
		for _, n := range row {
			most = max(most, n)
		}
	}
	if most == 0 {
		return
	}
	width := t.at(t.over.Width) - plotLeft
	if len(t.over.Slots) == 1 {
		width = t.right - plotLeft
	}
	height := (heatBottom - heatTop) / float64(rows.count)
	transform := fmt.Sprintf("translate(%s %s) scale(%.4f %.4f)", coordinate(plotLeft), coordinate(heatTop+height/2), width, height)
	for level, d := range heatPaths(cells, most) {
		if d != "" {
			t.Marks = append(t.Marks, mark{Class: fmt.Sprintf("heat h%d", level), D: d, Transform: transform})
		}
	}
	t.heatKey(most)
}

func (t *timePlot) cells(rows *heatRows) [][]uint64 {
	cells := make([][]uint64, rows.count)
	for i := range cells {
		cells[i] = make([]uint64, len(t.over.Slots))
	}
	for slot := range t.over.Slots {
		t.over.Slots[slot].Each(func(from, _ time.Duration, n uint64) {
			row := cells[rows.count-1-(int(rows.of(from))-rows.first)]
			for under := max(slot-int(from/t.over.Width), 0); under <= slot; under++ {
				row[under] += n
			}
		})
	}

	return cells
}

// heatPaths returns a path for each level, made of runs of cells in a row.
func heatPaths(cells [][]uint64, most uint64) [heatLevels]string {
	var paths [heatLevels]strings.Builder
	for row, numbers := range cells {
		for from := 0; from < len(numbers); {
			level, to := heatLevel(numbers[from], most), from+1
			for to < len(numbers) && heatLevel(numbers[to], most) == level {
				to++
			}
			if level >= 0 {
				fmt.Fprintf(&paths[level], "M%d %dh%d", from, row, to-from)
			}
			from = to
		}
	}
	var out [heatLevels]string
	for level := range out {
		out[level] = paths[level].String()
	}

	return out
}

// heatLevel returns the colour for a number of operations, by its logarithm; below zero: none.
func heatLevel(n, most uint64) int {
	switch {
	case n == 0:
		return -1
	case most == 1:
		return heatLevels - 1
	}

	return int(math.Round((heatLevels - 1) * math.Log(float64(n)) / math.Log(float64(most))))
}

func (t *timePlot) heatAxis(rows *heatRows) {
	t.write(plotLeft+2, heatTop-5, "axis-title", "start", "every operation, ms")
	last := math.Inf(1)
	octaves := float64(rows.count) / rows.perOctave
	for decade := -6; decade <= 7; decade++ {
		for _, digit := range []float64{1, 2, 5} {
			ms := digit * math.Pow10(decade)
			place := rows.of(milliseconds(ms)) - float64(rows.first)
			if place < 0 || place > float64(rows.count) || digit != 1 && octaves > 8 {
				continue
			}
			y := rows.at(milliseconds(ms))
			t.draw("grid", polyline(xy{plotLeft, y}, xy{t.right, y}))
			if last-y >= textHeight*0.8 {
				t.write(plotLeft-6, y+4, "tick", "end", tickText(ms))
				last = y
			}
		}
	}
}

func (t *timePlot) heatKey(most uint64) {
	const size = 9.0
	y := t.bottom() + 25
	x := plotLeft
	t.write(x, y+8, "tick", "start", "1")
	x += textWidth("1") + 3
	for level := range heatLevels {
		t.Marks = append(t.Marks, mark{Class: fmt.Sprintf("key h%d", level), D: rectangle(x, y, x+size, y+size)})
		x += size
	}
	t.write(x+4, y+8, "tick", "start", report.Thousands(int64(most))+" in a cell")
}
