package stream

import "strconv"

// StepTags returns the tags that identify a step in its scenario. rate may be 0 and variant "".
func StepTags(clients int64, rate float64, variant string) map[string]string {
	tags := map[string]string{"clients": strconv.FormatInt(clients, 10)}
	if rate > 0 {
		tags["rate"] = FormatNumber(rate)
	}
	if variant != "" {
		tags["variant"] = variant
	}

	return tags
}

// FormatNumber formats a number without trailing zeros or exponent.
func FormatNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
