package report

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markup is what CommonMark and its tables would not show as it is: characters that always mean
// something, and the begin of a tag, a link in angle brackets, or an entity. A "<" before a space,
// a digit or "=" is only a sign.
var markup = regexp.MustCompile("[\\\\`*\\[\\]|]|~~|<[A-Za-z/!?]|&[A-Za-z#]|_")

// escape keeps a text from outside, such as a server's version or the name of an operation, from
// being anything but a text in Markdown. An underscore within a word means nothing there, and stays
// readable.
func escape(text string) string {
	text = oneLineOf(text)
	var b strings.Builder
	last := 0
	for _, at := range markup.FindAllStringIndex(text, -1) {
		b.WriteString(text[last:at[0]])
		last = at[0]
		if text[last] != '_' || !withinWord(text, last) {
			b.WriteByte('\\')
		}
	}
	b.WriteString(text[last:])

	return b.String()
}

// withinWord tells whether a letter or digit stands on both sides of the byte at an offset.
func withinWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+1:])
	inWord := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

	return inWord(before) && inWord(after)
}

// codeSpan writes a text from outside as code: nothing in it is markup, a link, or the name of
// somebody to be told.
func codeSpan(text string) string {
	text = oneLineOf(text)
	fence, run := 1, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0

			continue
		}
		run++
		fence = max(fence, run+1)
	}
	mark := strings.Repeat("`", fence)
	if text == "" || strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}

	return mark + text + mark
}

// Escape keeps a text from outside from being anything but a text in Markdown, for the packages
// that write Markdown of reports.
func Escape(text string) string { return escape(text) }
