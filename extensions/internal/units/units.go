// Package units knows which times need a unit. In k6 a number is milliseconds, and people write
// numbers of seconds: a time that may have been meant so is refused, with what to write instead. It
// is pure Go.
package units

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// shortest is the shortest time that may be a number of milliseconds: who writes less means
// seconds.
const shortest = 100

// Number refuses a number of milliseconds that could be one of seconds. what names the option or
// the argument.
func Number(what string, milliseconds float64) error {
	if !(milliseconds > 0 && milliseconds < shortest) { // which is so of NaN
		return nil
	}

	return unclear(what, milliseconds)
}

// Text refuses a time that is a number in quotes, which k6 takes for milliseconds. Other strings,
// and 0, are not its affair.
func Text(what, text string) error {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number == 0 {
		return nil //nolint:nilerr // it has a unit, or is no time
	}

	return unclear(what, number)
}

// JSON refuses a time in JSON as Number and Text do.
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

// TTL refuses a time to live that is a number: stores count it in seconds, k6 in milliseconds.
func TTL(what string, number float64) error {
	shown := Show(number)
	if number >= 1000 {
		return fmt.Errorf("%s %s must say its unit: '%ss', or '%ss' if it is milliseconds", what, shown, shown, Show(number/1000))
	}

	return fmt.Errorf("%s %s must say its unit, such as '%ss'", what, shown, shown)
}

// Show is a number as a script writes it.
func Show(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

func unclear(what string, number float64) error {
	shown := Show(number)

	return fmt.Errorf("%s %s could be seconds or milliseconds: write '%ss' or '%sms'", what, shown, shown, shown)
}
