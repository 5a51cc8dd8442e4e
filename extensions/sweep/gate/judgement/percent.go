package judgement

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
