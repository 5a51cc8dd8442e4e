package k6x

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

// These functions read a script's values. Their errors have the kind usage and name method and
// argument: Text("get", "the key", value) returns "get: the key must be a string".

// Text reads a string.
func Text(method, what string, value sobek.Value) (string, error) {
	text, ok := TextOf(value)
	if !ok {
		return "", Wrong(method, what, "a string", value)
	}

	return text, nil
}

// Name reads a non-empty string.
func Name(method, what string, value sobek.Value) (string, error) {
	text, ok := TextOf(value)
	if !ok || text == "" {
		return "", Wrong(method, what, "a string that is not empty", value)
	}

	return text, nil
}

// Bytes reads a string (UTF-8), ArrayBuffer, typed array or DataView. A string is copied to buffer,
// which grows as needed; the others share their memory.
func Bytes(rt *sobek.Runtime, method, what string, value sobek.Value, buffer *[]byte) ([]byte, error) {
	bytes, ok := BytesOf(rt, value, *buffer)
	if !ok {
		return nil, Wrong(method, what, "a string, an ArrayBuffer or a typed array", value)
	}
	if _, isText := value.(sobek.String); isText {
		*buffer = bytes
	}

	return bytes, nil
}

// Elements reads an array of at most MaxElements.
func Elements(method, what string, value sobek.Value) ([]sobek.Value, error) {
	elements, err := elementsOf(what, value)
	if err != nil {
		return nil, Misuse("%s: %s", method, err)
	}

	return elements, nil
}

// Unsigned reads an unsigned 64-bit number: an integer or a BigInt.
func Unsigned(method, what string, value sobek.Value) (uint64, error) {
	n, ok := UnsignedOf(value)
	if !ok {
		return 0, Wrong(method, what, "an integer from 0 or a BigInt", value)
	}

	return n, nil
}

// Count reads a number up to MaxElements.
func Count(method, what string, value sobek.Value) (int, error) {
	n, ok := UnsignedOf(value)
	if !ok || n == 0 || n > MaxElements {
		return 0, Wrong(method, what, fmt.Sprintf("an integer from 1 to %d", MaxElements), value)
	}

	return int(n), nil
}

// Duration reads a string such as '5s' or milliseconds. It rejects numbers that probably mean
// seconds. Undefined and null return the fallback.
func Duration(method, what string, value sobek.Value, fallback time.Duration) (time.Duration, error) {
	if IsNullish(value) {
		return fallback, nil
	}
	if err := unit(what, value); err != nil {
		return 0, Misuse("%s: %s", method, err)
	}
	d, ok := DurationOf(value)
	if !ok || d < 0 {
		return 0, Wrong(method, what, DurationNoun, value)
	}

	return d, nil
}

// unit rejects a number without a unit.
func unit(what string, value sobek.Value) error {
	what = bare(what)
	switch v := Scalar(value).(type) {
	case int64:
		return input.NumberUnit(what, float64(v))
	case float64:
		return input.NumberUnit(what, v)
	case string:
		return input.TextUnit(what, v)
	default:
		return nil
	}
}

// bare strips "option " and "the " from a name in an error.
func bare(what string) string { return strings.TrimPrefix(strings.TrimPrefix(what, "option "), "the ") }

// Time is Duration without a fallback, for Into.
func Time(method, what string, value sobek.Value) (time.Duration, error) {
	return Duration(method, what, value, 0)
}

// AtOnce is the TTL of something that has already expired.
const AtOnce time.Duration = -1

// TTL reads a time to live: a string such as '60s', 0 for no expiry, or a Date. It returns 0 for no
// expiry and AtOnce for a past Date. Undefined and null return 0.
func TTL(method, what string, value sobek.Value) (time.Duration, error) {
	if IsNullish(value) {
		return 0, nil
	}
	number := math.NaN()
	switch v := Scalar(value).(type) {
	case int64:
		number = float64(v)
	case float64:
		number = v
	case time.Time:
		if left := time.Until(v); left > 0 {
			return left, nil
		}

		return AtOnce, nil
	case string:
		if read, err := strconv.ParseFloat(v, 64); err == nil {
			number = read
		} else if d, ok := DurationOf(value); ok && d >= 0 {
			return d, nil
		}
	}
	switch {
	case number == 0:
		return 0, nil
	case number > 0 && !math.IsInf(number, 0):
		return 0, Misuse("%s: %s", method, input.TTLUnit(bare(what), number))
	default:
		return 0, Wrong(method, what, "a time such as '60s', 0 for never, or a Date", value)
	}
}

// Seconds converts a TTL to whole seconds, rounded up.
func Seconds(ttl time.Duration) int64 {
	if ttl < 0 {
		return -1
	}

	seconds := int64(ttl / time.Second)
	if ttl%time.Second > 0 {
		seconds++
	}

	return seconds
}

// Word reads one of several strings.
func Word(method, what string, value sobek.Value, words ...string) (string, error) {
	text, ok := TextOf(value)
	for _, word := range words {
		if ok && word == text {
			return text, nil
		}
	}

	return "", Wrong(method, what, listed(words), value)
}

// Wrong returns the error for an invalid argument. must says what is valid.
func Wrong(method, what, must string, value sobek.Value) *Error {
	shown := Show(value)
	if shown == "" {
		shown = "''"
	}

	return Misuse("%s: %s must be %s, not %s", method, what, must, shown)
}
