package stream

import "strconv"

// StepTags are the tags that tell a step from the others of its scenario. The rate is zero, and the
// variant empty, where a step has none.
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

// FormatNumber writes a number without trailing zeros and never as a power of ten.
func FormatNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
