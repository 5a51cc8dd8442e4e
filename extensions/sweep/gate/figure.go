package gate

import (
	"regexp"
	"strconv"
	"strings"
	"time"

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

func (o *object) bound(f *report.Figure) (float64, error) {
	key := keyOf(f)
	if f.Rate {
		return o.positive(key)
	}
	const must = `a duration above 0 with its unit, such as "5ms"`
	text, err := o.text(key, must)
	if err != nil {
		return 0, err
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 || strings.HasPrefix(text, "+") {
		return 0, o.wrong(key, must)
	}

	return report.Ms(limit), nil
}

var percentage = regexp.MustCompile(`^[+-]([0-9]+(\.[0-9]+)?)%$`)

func (o *object) tolerance(f *report.Figure) (float64, error) {
	key, sign, must := keyOf(f), "+", `by how much it may rise, such as "+30%"`
	if f.Rate {
		sign, must = "-", `by how much it may fall, less than all of it, such as "-10%"`
	}
	text, err := o.text(key, must)
	if err != nil {
		return 0, err
	}
	found := percentage.FindStringSubmatch(text)
	if found == nil || !strings.HasPrefix(text, sign) {
		return 0, o.wrong(key, must)
	}
	percent, err := strconv.ParseFloat(found[1], 64)
	if err != nil || percent <= 0 || f.Rate && percent >= 100 {
		return 0, o.wrong(key, must)
	}

	return percent / 100, nil
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
