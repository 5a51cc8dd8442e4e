package docs

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Maximum line widths in characters.
const (
	widthOfComments = 100
	// widthOfSetOff applies to lines that cannot be wrapped: table rows and indented lines.
	widthOfSetOff = 160
)

var (
	slashComment = regexp.MustCompile(`^\s*(?://|/\*|\*[ /])`)
	hashComment  = regexp.MustCompile(`^\s*#`)
	setOff       = regexp.MustCompile(`^\s*(?:(?://|#)(?:\t|\s{2,})|\* \|)`)
	forPrograms  = regexp.MustCompile(`^\s*(?://(?:go:|nolint)|///|# shellcheck )`)
)

// commentOf returns a pattern for comment lines in the file's language; nil if unknown.
func commentOf(file string) *regexp.Regexp {
	name := path.Base(file)
	switch extension := path.Ext(name); {
	case strings.HasSuffix(name, ".pb.go"): // generated
		return nil
	case slices.Contains([]string{".go", ".js", ".ts", ".proto"}, extension):
		return slashComment
	case slices.Contains([]string{".sh", ".yml", ".yaml"}, extension), name == "Makefile", strings.HasPrefix(name, "Dockerfile"):
		return hashComment
	default:
		return nil
	}
}

func WideComments(file, text string) (numbers []int) {
	comment := commentOf(file)
	if comment == nil {
		return nil
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		width := len([]rune(strings.TrimRight(line, "\r\n")))
		if width <= widthOfComments || !comment.MatchString(line) || forPrograms.MatchString(line) {
			continue
		}
		if !setOff.MatchString(line) || width > widthOfSetOff {
			numbers = append(numbers, number)
		}
	}

	return numbers
}
