// Package units rejects times without a unit. k6 reads numbers as milliseconds, but people often
// mean seconds. Errors suggest what to write.
package units

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// shortest is the smallest accepted number of milliseconds; smaller ones probably mean seconds.
const shortest = 100

// Number rejects milliseconds that may be seconds. what names the option or argument.
func Number(what string, milliseconds float64) error {
	if !(milliseconds > 0 && milliseconds < shortest) { // false for NaN
		return nil
	}

	return unclear(what, milliseconds)
}

// Text rejects a number in quotes, which k6 reads as milliseconds. It accepts other strings and 0.
func Text(what, text string) error {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number == 0 {
		return nil //nolint:nilerr // it has a unit, or is no time
	}

	return unclear(what, number)
}

// JSON checks a time in JSON as Number and Text do.
func JSON(what string, raw []byte) error {
	var number float64
	if json.Unmarshal(raw, &number) == nil {
		return Number(what, number)
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return Text(what, text)
	}

	return nil
}

// TTL rejects a number as a time to live: stores count in seconds, k6 in milliseconds.
func TTL(what string, number float64) error {
	shown := Show(number)
	if number >= 1000 {
		return fmt.Errorf("%s %s must say its unit: '%ss', or '%ss' if it is milliseconds", what, shown, shown, Show(number/1000))
	}

	return fmt.Errorf("%s %s must say its unit, such as '%ss'", what, shown, shown)
}

// Show formats a number as a script writes it.
func Show(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

func unclear(what string, number float64) error {
	shown := Show(number)

	return fmt.Errorf("%s %s could be seconds or milliseconds: write '%ss' or '%sms'", what, shown, shown, shown)
}
