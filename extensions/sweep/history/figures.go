package history

import (
	"strconv"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Figure is one of a record's figures.
type Figure struct {
	// Name is for people, such as "ops/s", Key is for records.
	Name, Key string
	Unit      string
	// Rate is set if the figure gets worse when it falls.
	Rate bool
	Show func(value float64) string
}

// Keys of figures that are not among a report's figures.
const (
	cpuKey       = "cpu_per_operation"
	serverCPUKey = "server_cpu_per_operation"
	// besideBase is the suffix of keys for a duet's ratios.
	besideBase = "_beside_base"
)

// Figures are all figures in page order: a step's, CPU time per operation in milliseconds,
// and the ratios of duets.
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

// ratesOfDuets is the figure of duets that gets worse when it falls.
const ratesOfDuets = "opsPerSecond"
