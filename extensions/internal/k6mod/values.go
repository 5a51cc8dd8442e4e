package k6mod

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/units"
)

// The functions here read what a script has passed. Their errors are of kind usage, and name the
// method and the argument: Text("get", "the key", value) says "get: the key must be a string".

// Text reads a string.
func Text(method, what string, value sobek.Value) (string, error) {
	text, ok := k6glue.Text(value)
	if !ok {
		return "", Wrong(method, what, "a string", value)
	}

	return text, nil
}

// Name reads a string that is not empty.
func Name(method, what string, value sobek.Value) (string, error) {
	text, ok := k6glue.Text(value)
	if !ok || text == "" {
		return "", Wrong(method, what, "a string that is not empty", value)
	}

	return text, nil
}

// Bytes reads a string (as UTF-8), an ArrayBuffer, a typed array or a DataView. The bytes of a
// string are in the memory of the buffer, which grows for it; those of the others are their own
// memory.
func Bytes(rt *sobek.Runtime, method, what string, value sobek.Value, buffer *[]byte) ([]byte, error) {
	bytes, ok := k6glue.Bytes(rt, value, *buffer)
	if !ok {
		return nil, Wrong(method, what, "a string, an ArrayBuffer or a typed array", value)
	}
	if _, isText := value.(sobek.String); isText {
		*buffer = bytes
	}

	return bytes, nil
}

// Elements reads an array of at most k6glue.MaxElements.
func Elements(method, what string, value sobek.Value) ([]sobek.Value, error) {
	elements, err := k6glue.Elements(what, value)
	if err != nil {
		return nil, Misuse("%s: %s", method, err)
	}

	return elements, nil
}

// Unsigned reads a number of 64 bits without a sign: an integer from 0 or a BigInt.
func Unsigned(method, what string, value sobek.Value) (uint64, error) {
	n, ok := k6glue.Unsigned(value)
	if !ok {
		return 0, Wrong(method, what, "an integer from 0 or a BigInt", value)
	}

	return n, nil
}

// Count reads how many of something are asked for, at most k6glue.MaxElements.
func Count(method, what string, value sobek.Value) (int, error) {
	n, ok := k6glue.Unsigned(value)
	if !ok || n == 0 || n > k6glue.MaxElements {
		return 0, Wrong(method, what, fmt.Sprintf("an integer from 1 to %d", k6glue.MaxElements), value)
	}

	return int(n), nil
}

// Duration reads a time as k6 writes it: a string such as '5s', or a number of milliseconds. A
// number that is meant for seconds is refused. What is not there is the fallback.
func Duration(method, what string, value sobek.Value, fallback time.Duration) (time.Duration, error) {
	if k6glue.IsNullish(value) {
		return fallback, nil
	}
	if err := unit(what, value); err != nil {
		return 0, Misuse("%s: %s", method, err)
	}
	d, ok := k6glue.DurationOf(value)
	if !ok || d < 0 {
		return 0, Wrong(method, what, k6glue.DurationNoun, value)
	}

	return d, nil
}

// unit refuses a number that does not say what of.
func unit(what string, value sobek.Value) error {
	what = bare(what)
	switch v := k6glue.Scalar(value).(type) {
	case int64:
		return units.Number(what, float64(v))
	case float64:
		return units.Number(what, v)
	case string:
		return units.Text(what, v)
	default:
		return nil
	}
}

// bare is the name of an argument or an option, without what stands before it in other errors.
func bare(what string) string { return strings.TrimPrefix(strings.TrimPrefix(what, "option "), "the ") }

// Time is Duration without a fallback, for Into.
func Time(method, what string, value sobek.Value) (time.Duration, error) {
	return Duration(method, what, value, 0)
}

// AtOnce is the time to live of what is over at once.
const AtOnce time.Duration = -1

// TTL reads a time to live: a string such as '60s', 0 for no end, or the Date of the end. It
// returns 0 for no end, and AtOnce for a Date that has passed. What is not there is 0.
func TTL(method, what string, value sobek.Value) (time.Duration, error) {
	const must = "a time such as '60s', 0 for never, or a Date"
	if k6glue.IsNullish(value) {
		return 0, nil
	}
	switch v := k6glue.Scalar(value).(type) {
	case int64:
		if v == 0 {
			return 0, nil
		}
		if v > 0 {
			return 0, Misuse("%s: %s", method, units.TTL(bare(what), float64(v)))
		}
	case float64:
		if !(v > 0) || math.IsInf(v, 0) { // which is so of NaN
			break
		}

		return 0, Misuse("%s: %s", method, units.TTL(bare(what), v))
	case time.Time:
		if left := time.Until(v); left > 0 {
			return left, nil
		}

		return AtOnce, nil
	case string:
		if number, err := strconv.ParseFloat(v, 64); err == nil && number != 0 {
			return 0, Misuse("%s: %s", method, units.TTL(bare(what), number))
		}
		if d, ok := k6glue.DurationOf(value); ok && d >= 0 {
			return d, nil
		}
	}

	return 0, Wrong(method, what, must, value)
}

// Seconds is a time to live for a store that counts in seconds: a part of one is one more.
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

// Word reads a string that is one of some.
func Word(method, what string, value sobek.Value, words ...string) (string, error) {
	text, ok := k6glue.Text(value)
	for _, word := range words {
		if ok && word == text {
			return text, nil
		}
	}

	return "", Wrong(method, what, listed(words), value)
}

// Wrong is the error of an argument that must be something else than it is.
func Wrong(method, what, must string, value sobek.Value) *Error {
	shown := k6glue.Show(value)
	if shown == "" {
		shown = "''"
	}

	return Misuse("%s: %s must be %s, not %s", method, what, must, shown)
}
