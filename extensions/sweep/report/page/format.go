package page

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// span is report.Span for what can be a time, and a power of ten for what cannot.
func span(seconds float64) string { return bounded(seconds, "s", report.Span) }

// millis is report.Millis likewise.
func millis(ms float64) string { return bounded(ms, "ms", report.Millis) }

func bounded(v float64, unit string, write func(float64) string) string {
	if math.Abs(v) < largest {
		return write(v)
	}

	return strconv.FormatFloat(v, 'g', 4, 64) + unit
}

// rate writes operations a second as the published table does; below ten with three digits, where a
// integer would say too little.
func rate(v float64) string {
	switch {
	case v != 0 && math.Abs(v) < 9.995:
		return strconv.FormatFloat(v, 'g', 3, 64) + "/s"
	case math.Abs(v) >= largest:
		return strconv.FormatFloat(v, 'g', 4, 64) + "/s"
	}

	return report.Thousands(int64(math.Round(v))) + "/s"
}

// bytesText writes a number of bytes in the largest unit of which there is at least one.
func bytesText(n uint64) string {
	const unit = 1024
	v, names := float64(n), []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	for v >= unit-0.05 && len(names) > 1 {
		v, names = v/unit, names[1:]
	}
	if names[0] == "B" {
		return fmt.Sprintf("%d B", n)
	}

	return fmt.Sprintf("%.1f %s", v, names[0])
}

// exact is a value as the JSON of the report has it.
func exact(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v) // such as a function, which no report in a file has
	}

	return string(raw)
}

// plain is a value as a text for people: strings as they are, anything else as JSON.
func plain(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // that is the template's
	if err := encoder.Encode(v); err != nil {
		return fmt.Sprint(v)
	}

	return strings.TrimSuffix(b.String(), "\n")
}
