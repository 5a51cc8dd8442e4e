package gate

import (
	"math"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// bounded are the figures that gates may bound: all of the report's but that of a single operation.
func bounded() (figures []*report.Figure) {
	for i := range report.Figures {
		if f := &report.Figures[i]; !f.Chance {
			figures = append(figures, f)
		}
	}

	return figures
}

// lastOf is the last part of the figure's path in a report, such as "p99".
func lastOf(f *report.Figure) string { return f.JSON[strings.LastIndexByte(f.JSON, '.')+1:] }

// absoluteKey is the key of the figure's bound, such as "maxP99Ms" or "minOpsPerSecond".
func absoluteKey(f *report.Figure) string {
	name := lastOf(f)
	name = strings.ToUpper(name[:1]) + name[1:]
	if f.Rate {
		return "min" + name
	}

	return "max" + name + "Ms"
}

// relativeKey is the key of the figure's tolerance, such as "p99MayRise" or "opsPerSecondMayFall".
func relativeKey(f *report.Figure) string {
	if f.Rate {
		return lastOf(f) + "MayFall"
	}

	return lastOf(f) + "MayRise"
}

// keysOf are the keys of all bounded figures.
func keysOf(key func(*report.Figure) string) []string {
	figures := bounded()
	keys := make([]string, 0, len(figures))
	for _, f := range figures {
		keys = append(keys, key(f))
	}

	return keys
}

// tolerable is what a tolerance may be at most, and what it must be.
func tolerable(f *report.Figure) (high float64, must string) {
	if f.Rate {
		return 1, "a number above 0 and below 1, such as 0.1 for 10 %"
	}

	return math.Inf(1), "a number above 0, such as 0.25 for 25 %"
}

// comparison is the sign between a figure and its bound.
func comparison(f *report.Figure) string {
	if f.Rate {
		return ">="
	}

	return "<="
}

// boundText writes a bound with its unit, all digits of it.
func boundText(f *report.Figure, value float64) string {
	text := strconv.FormatFloat(value, 'f', -1, 64)
	if f.Rate {
		return text
	}

	return text + "ms"
}

// measured writes a measured value. A rate has a digit more than in tables: it stands beside its
// bound.
func measured(f *report.Figure, value float64) string {
	if f.Rate {
		return strconv.FormatFloat(value, 'f', 1, 64) + "/s"
	}

	return f.Show(value)
}
