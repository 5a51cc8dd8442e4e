package input

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// k6 reads times without a unit as milliseconds, but people often mean seconds. The functions in
// this file reject them, and suggest what to write.

// shortest is the smallest accepted number of milliseconds; smaller ones probably mean seconds.
const shortest = 100

// NumberUnit rejects milliseconds that may be seconds. what names the option or argument.
func NumberUnit(what string, milliseconds float64) error {
	if !(milliseconds > 0 && milliseconds < shortest) { // false for NaN
		return nil
	}

	return unclear(what, milliseconds)
}

// TextUnit rejects a number in quotes, which k6 reads as milliseconds. It accepts other strings
// and 0.
func TextUnit(what, text string) error {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number == 0 {
		return nil //nolint:nilerr // it has a unit, or is no time
	}

	return unclear(what, number)
}

// JSONUnit checks a time in JSON as NumberUnit and TextUnit do.
func JSONUnit(what string, raw []byte) error {
	var number float64
	if json.Unmarshal(raw, &number) == nil {
		return NumberUnit(what, number)
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return TextUnit(what, text)
	}

	return nil
}

// TTLUnit rejects a number as a time to live: stores count in seconds, k6 in milliseconds.
func TTLUnit(what string, number float64) error {
	shown := show(number)
	if number >= 1000 {
		return fmt.Errorf("%s %s must say its unit: '%ss', or '%ss' if it is milliseconds", what, shown, shown, show(number/1000))
	}

	return fmt.Errorf("%s %s must say its unit, such as '%ss'", what, shown, shown)
}

// show formats a number as a script writes it.
func show(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

func unclear(what string, number float64) error {
	shown := show(number)

	return fmt.Errorf("%s %s could be seconds or milliseconds: write '%ss' or '%sms'", what, shown, shown, shown)
}
