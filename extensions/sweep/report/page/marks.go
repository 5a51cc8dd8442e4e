package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Everything in a plot is a mark (a path) or a label (a text), so that only one template writes and
// escapes them.

type mark struct {
	Class string
	D     string
	Tip   string // shown under the pointer; may be empty
	// Transform maps the coordinates of D to the plot; may be empty.
	Transform string
}

type label struct {
	X, Y   coordinate
	Class  string
	Anchor string // start, middle or end
	Text   string
}

// coordinate is written with one decimal.
type coordinate float64

// String formats the coordinate for SVG.
func (c coordinate) String() string {
	return strconv.FormatFloat(math.Round(float64(c)*10)/10, 'f', -1, 64)
}

type xy struct{ x, y float64 }

func polyline(points ...xy) string {
	var b strings.Builder
	for i, p := range points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%s %s", command, coordinate(p.x), coordinate(p.y))
	}

	return b.String()
}

func polygon(points ...xy) string { return polyline(points...) + "Z" }

func rectangle(x0, y0, x1, y1 float64) string {
	return polygon(xy{x0, y0}, xy{x1, y0}, xy{x1, y1}, xy{x0, y1})
}

const shapes = 8

// shape is the outline of the n-th kind of marker around p. Shapes distinguish series in grey
// prints.
func shape(n int, p xy, r float64) string {
	x, y := p.x, p.y
	switch n % shapes {
	case 0:
		return circle(p, r)
	case 1:
		return rectangle(x-r*0.9, y-r*0.9, x+r*0.9, y+r*0.9)
	case 2:
		return polygon(xy{x, y - r*1.2}, xy{x + r*1.1, y + r*0.8}, xy{x - r*1.1, y + r*0.8})
	case 3:
		return polygon(xy{x, y - r*1.3}, xy{x + r*1.3, y}, xy{x, y + r*1.3}, xy{x - r*1.3, y})
	case 4:
		return polygon(xy{x, y + r*1.2}, xy{x + r*1.1, y - r*0.8}, xy{x - r*1.1, y - r*0.8})
	case 5:
		return rectangle(x-r*1.3, y-r*0.45, x+r*1.3, y+r*0.45)
	case 6:
		return polygon(xy{x - r*0.8, y - r*1.1}, xy{x + r*1.2, y}, xy{x - r*0.8, y + r*1.1})
	default:
		return rectangle(x-r*0.45, y-r*1.3, x+r*0.45, y+r*1.3)
	}
}

func circle(p xy, r float64) string {
	return fmt.Sprintf("M%s %sa%[3]s %[3]s 0 1 0 %[4]s 0a%[3]s %[3]s 0 1 0 -%[4]s 0Z",
		coordinate(p.x-r), coordinate(p.y), coordinate(r), coordinate(2*r))
}
