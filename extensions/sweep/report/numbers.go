package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Span formats seconds as the published tables do: "12.5s", "1m 9s"; below ten seconds with
// milliseconds.
func Span(seconds float64) string {
	switch {
	case seconds < 9.9995: // rounds to less than ten
		return strconv.FormatFloat(seconds, 'f', 3, 64) + "s"
	case seconds < 59.95:
		return strconv.FormatFloat(seconds, 'f', 1, 64) + "s"
	}
	d := time.Duration(math.Round(seconds)) * time.Second

	return fmt.Sprintf("%dm%2ds", int(d.Minutes()), int(d.Seconds())%60)
}

// Millis formats milliseconds with at least three digits: "0.178ms", "12.5ms", "1234ms".
func Millis(ms float64) string {
	digits := 0
	switch {
	case ms < 9.9995:
		digits = 3
	case ms < 99.95:
		digits = 1
	}

	return strconv.FormatFloat(ms, 'f', digits, 64) + "ms"
}

// Thousands formats an integer with commas: "10,000".
func Thousands(n int64) string {
	return commas(strconv.FormatInt(n, 10))
}

func commas(s string) string {
	start := 0
	if strings.HasPrefix(s, "-") {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}

	return s
}

// perSecond formats a rate: "1,000/s", "0.5/s".
func perSecond(rate float64) string {
	if rate < 10 && rate != math.Trunc(rate) {
		return strconv.FormatFloat(rate, 'f', -1, 64) + "/s"
	}

	return Thousands(int64(math.Round(rate))) + "/s"
}

// Counted formats "1 operation" and "10,000 operations".
func Counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}

	return Thousands(n) + " " + noun
}

// Plural formats "1 client" and "8 clients".
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}

	return fmt.Sprintf("%d %s", n, noun)
}
