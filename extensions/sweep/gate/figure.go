package gate

import (
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// bounded returns the figures for gates: all except single operations.
func bounded() (figures []*report.Figure) {
	for i := range report.Figures {
		if f := &report.Figures[i]; !f.Chance {
			figures = append(figures, f)
		}
	}

	return figures
}

func alsoBounded() []*report.Figure { return append(bounded(), &report.LongestStandstill) }

// keyOf returns the figure's key in gates, the last part of its JSON path: "p99", "opsPerSecond".
func keyOf(f *report.Figure) string { return f.JSON[strings.LastIndexByte(f.JSON, '.')+1:] }

func boundKeys(figures []*report.Figure) []string {
	keys := make([]string, 0, len(figures))
	for _, f := range figures {
		keys = append(keys, keyOf(f))
	}

	return keys
}

func boundSign(f *report.Figure) string {
	if f.Rate {
		return ">="
	}

	return "<="
}

// boundText formats a bound with its unit and all digits.
func boundText(f *report.Figure, value float64) string {
	text := strconv.FormatFloat(value, 'f', -1, 64)
	if f.Rate {
		return text
	}

	return text + "ms"
}

// measured formats a measured value, with one digit more than in tables for a rate.
func measured(f *report.Figure, value float64) string {
	if f.Rate {
		return strconv.FormatFloat(value, 'f', 1, 64) + "/s"
	}

	return f.Show(value)
}
