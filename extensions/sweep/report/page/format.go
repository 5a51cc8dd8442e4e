package page

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// span is report.Span for plausible times, else a power of ten.
func span(seconds float64) string { return bounded(seconds, "s", report.Span) }

// millis is report.Millis for plausible times, else a power of ten.
func millis(ms float64) string { return bounded(ms, "ms", report.Millis) }

func bounded(v float64, unit string, write func(float64) string) string {
	if math.Abs(v) < largest {
		return write(v)
	}

	return strconv.FormatFloat(v, 'g', 4, 64) + unit
}

// rate formats operations a second as in the published table, but with three digits below ten.
func rate(v float64) string {
	switch {
	case v != 0 && math.Abs(v) < 9.995:
		return strconv.FormatFloat(v, 'g', 3, 64) + "/s"
	case math.Abs(v) >= largest:
		return strconv.FormatFloat(v, 'g', 4, 64) + "/s"
	}

	return report.Thousands(int64(math.Round(v))) + "/s"
}

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

func exact(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v) // such as a function, which JSON cannot hold
	}

	return string(raw)
}
