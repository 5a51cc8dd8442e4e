package measure

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestText limits error texts in bytes, because some contain a whole request.
const longestText = 1000

// ShortText returns text, shortened if it is long.
func ShortText(text string) string {
	if len(text) <= longestText {
		return text
	}

	return strings.ToValidUTF8(text[:longestText], "") + "..."
}

// Cause returns an error's text with N for each number, such as a port, an id or a duration.
// Numbers after words like status or code stay. A report groups errors by cause.
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

// numberEnd returns the end of the number at i: digits, points, and units of a duration.
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

// units are Go's duration units. A unit that is a prefix of another one, such as m of ms, comes
// later.
var units = []string{"ns", "us", "µs", "ms", "s", "m", "h"} //nolint:gochecknoglobals // a constant

// unitAt returns the length of the unit at the start of text, if no letter follows it.
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

// namesWhatHappened reports whether before ends in a word such as status or code.
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

type reasons map[string]reason

type reason struct {
	text string // the first text with this cause
	n    uint64
}

// add counts n failures and returns the text that represents their cause.
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

// addFew is like add, but counts further causes beyond maxMessages together.
func (r *reasons) addFew(cause, text string, n uint64) string {
	if _, known := (*r)[cause]; !known && len(*r) >= maxMessages {
		cause, text = otherErrors, otherErrors
	}

	return r.add(cause, text, n)
}

// AddErrors adds counts of error texts to counts, merging texts with the same cause.
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
