package measure

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestText is how many bytes of an error's text are kept: some have the whole request in them.
const longestText = 1000

// ShortText returns the text of an error, and of a long one its beginning.
func ShortText(text string) string {
	if len(text) <= longestText {
		return text
	}

	return strings.ToValidUTF8(text[:longestText], "") + "..."
}

// Cause is an error's text without what differs from one time to the next: each number, such as a
// port, an id or a duration, is an N. Texts with one cause are one entry of a report. The number of
// a status or a code tells what happened, and stays.
func Cause(text string) string {
	if !strings.ContainsAny(text, "0123456789") {
		return text
	}
	var cause strings.Builder
	cause.Grow(len(text))
	for i := 0; i < len(text); {
		if !isDigit(text[i]) {
			cause.WriteByte(text[i])
			i++

			continue
		}
		end := numberEnd(text, i)
		if namesWhatHappened(text[:i]) {
			cause.WriteString(text[i:end])
		} else {
			cause.WriteByte('N')
		}
		i = end
	}

	return cause.String()
}

// numberEnd is where the number ends that begins at i: digits, with points between them, and the
// units of a duration.
func numberEnd(text string, i int) int {
	for {
		for i < len(text) && (isDigit(text[i]) || text[i] == '.' && i+1 < len(text) && isDigit(text[i+1])) {
			i++
		}
		unit := unitAt(text[i:])
		if unit == 0 {
			return i
		}
		i += unit
		if i == len(text) || !isDigit(text[i]) {
			return i
		}
	}
}

// units are those of Go's durations; longer ones come before those that they begin with.
var units = []string{"ns", "us", "µs", "ms", "s", "m", "h"} //nolint:gochecknoglobals // a constant

// unitAt is the length of the unit at the beginning of a text, when no other letter follows.
func unitAt(text string) int {
	for _, unit := range units {
		rest, is := strings.CutPrefix(text, unit)
		if !is {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(rest); rest == "" || !unicode.IsLetter(next) {
			return len(unit)
		}
	}

	return 0
}

// namesWhatHappened tells whether the number after this text is that of a status or a code.
func namesWhatHappened(before string) bool {
	before = strings.TrimRight(before, " :=#(")
	for _, word := range []string{"status", "code"} {
		if at := len(before) - len(word); at >= 0 && strings.EqualFold(before[at:], word) {
			return true
		}
	}

	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// reasons counts what made operations fail, by cause.
type reasons map[string]reason

// reason is how often operations failed with one cause.
type reason struct {
	text string // the first one with this cause
	n    uint64
}

// add counts n failures and returns the text under which they are counted.
func (r *reasons) add(cause, text string, n uint64) string {
	if *r == nil {
		*r = make(reasons)
	}
	if known, is := (*r)[cause]; is {
		text = known.text
	}
	(*r)[cause] = reason{text: text, n: (*r)[cause].n + n}

	return text
}

// addFew does the same. Causes beyond maxMessages are other errors.
func (r *reasons) addFew(cause, text string, n uint64) string {
	if _, known := (*r)[cause]; !known && len(*r) >= maxMessages {
		cause, text = otherErrors, otherErrors
	}

	return r.add(cause, text, n)
}

// AddErrors adds how often operations failed with each of the texts to counts, where texts with one
// cause are one.
func AddErrors(counts *map[string]uint64, more map[string]uint64) {
	if len(more) == 0 {
		return
	}
	if *counts == nil {
		*counts = make(map[string]uint64, len(more))
	}
	shown := make(map[string]string, len(*counts))
	for text := range *counts {
		shown[Cause(text)] = text
	}
	for _, text := range MostFrequent(more) {
		cause := Cause(text)
		if _, known := shown[cause]; !known {
			shown[cause] = text
		}
		(*counts)[shown[cause]] += more[text]
	}
}
