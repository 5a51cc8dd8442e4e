package report

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markup matches what CommonMark and its tables interpret: special characters, and the start of a
// tag, a link in angle brackets, or an entity.
var markup = regexp.MustCompile("[\\\\`*\\[\\]|]|~~|<[A-Za-z/!?]|&[A-Za-z#]|_")

// Escape makes Markdown show a text from outside as it is. An underscore within a word needs no
// escape.
func Escape(text string) string {
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

// withinWord reports whether the byte at an offset is between letters or digits.
func withinWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+1:])
	inWord := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

	return inWord(before) && inWord(after)
}

// codeSpan formats a text as code, so that it has no markup, links or mentions.
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
