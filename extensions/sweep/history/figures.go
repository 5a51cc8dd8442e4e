package history

import (
	"strconv"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Figure is one of a record's figures.
type Figure struct {
	// Name is what people call the figure, such as "ops/s", and Key what records do.
	Name, Key string
	// Unit is that of its values, for people.
	Unit string
	// Rate tells that the figure gets worse when it falls.
	Rate bool
	// Show writes a value for people.
	Show func(value float64) string
}

// The keys of figures that reports have elsewhere than in their figures.
const (
	cpuKey       = "cpu_per_operation"
	serverCPUKey = "server_cpu_per_operation"
	// besideBase ends the keys of the ratios of duets.
	besideBase = "_beside_base"
)

// Figures are all of them, in the order in which pages have them: those of steps, the processor
// time of an operation in milliseconds, and the ratios of duets.
var Figures = figures() //nolint:gochecknoglobals // a constant

func figures() (all []Figure) {
	for i := range report.Figures {
		f := &report.Figures[i]
		if f.Chance {
			continue
		}
		unit := "ms"
		if f.Rate {
			unit = "ops/s"
		}
		all = append(all, Figure{f.Name, f.Key, unit, f.Rate, f.Show})
	}
	micros := func(ms float64) string { return report.Micros(1000 * ms) }
	all = append(all, Figure{"k6 CPU/op", cpuKey, "ms", false, micros}, Figure{"server CPU/op", serverCPUKey, "ms", false, micros})
	ratio := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	for _, f := range report.DuetFigures {
		rate := f == ratesOfDuets
		name := f
		if rate {
			name = "ops/s"
		}
		all = append(all, Figure{name + " beside base", f + besideBase, "ratio", rate, ratio})
	}

	return all
}

// ratesOfDuets is the figure of a duet that gets worse when it falls.
const ratesOfDuets = "opsPerSecond"
