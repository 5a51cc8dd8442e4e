package stats

import "strconv"

// Percent formats a share with at least two digits: "0.83 %", "8.3 %", "83 %".
func Percent(part float64) string { return PercentDigits(part) + " %" }

// PercentDigits formats the digits of Percent.
func PercentDigits(part float64) string {
	digits := 0
	switch percent := 100 * part; {
	case percent < 0.995:
		digits = 2
	case percent < 9.95:
		digits = 1
	}

	return strconv.FormatFloat(100*part, 'f', digits, 64)
}

// Times formats a ratio of change to base: "1.142x", "12.3x".
func Times(ratio float64) string { return timesDigits(ratio) + "x" }

// TimesWithin formats a ratio with its interval: "1.142x (1.121 to 1.163)".
func TimesWithin(ratio, low, high float64) string {
	return Times(ratio) + " (" + TimesRange(low, high) + ")"
}

// TimesRange formats the interval of a ratio: "1.121 to 1.163".
func TimesRange(low, high float64) string { return timesDigits(low) + " to " + timesDigits(high) }

func timesDigits(ratio float64) string {
	switch {
	case ratio >= 10:
		return strconv.FormatFloat(ratio, 'f', 1, 64)
	case ratio >= 0.01:
		return strconv.FormatFloat(ratio, 'f', 3, 64)
	default:
		return strconv.FormatFloat(ratio, 'g', 2, 64)
	}
}

// The words that compare change with base.
const (
	Better     = "better"
	Worse      = "worse"
	Same       = "same" // within 5 %
	CannotTell = "cannot tell"
)

// Word compares change with base by the interval of their ratio: one of the words above, with the
// distance if it is Same: "same within 2.1 %". rate is set if the figure gets worse when it falls.
func Word(rate bool, low, high float64) string {
	word := Compared(rate, low, high)
	if word == Same {
		word += " within " + Percent(farthest(low, high))
	}

	return word
}

// Compared is Word without the distance.
func Compared(rate bool, low, high float64) string {
	const sameWithin = 0.05
	more, less := Worse, Better
	if rate {
		more, less = less, more
	}
	switch {
	case farthest(low, high) <= sameWithin:
		return Same
	case low > 1:
		return more
	case high < 1:
		return less
	default:
		return CannotTell
	}
}

// farthest returns how far an interval reaches from 1.
func farthest(low, high float64) float64 { return max(high-1, 1-low) }
