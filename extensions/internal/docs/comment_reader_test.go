package docs

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Widths of lines of comments, in characters.
const (
	widthOfComments = 100
	// widthOfSetOff is for lines that cannot be wrapped: rows of tables, and what two spaces or a
	// tab set off, such as commands.
	widthOfSetOff = 160
)

var (
	slashComment = regexp.MustCompile(`^\s*(?://|/\*|\*[ /])`)
	hashComment  = regexp.MustCompile(`^\s*#`)
	setOff       = regexp.MustCompile(`^\s*(?:(?://|#)(?:\t|\s{2,})|\* \|)`)
	// forPrograms are comments that a program reads, which end with their line.
	forPrograms = regexp.MustCompile(`^\s*(?://(?:go:|nolint)|///|# shellcheck )`)
)

// commentOf matches lines that are comments in the language that a file's name tells; nil where
// nothing is known of it.
func commentOf(file string) *regexp.Regexp {
	name := path.Base(file)
	switch extension := path.Ext(name); {
	case strings.HasSuffix(name, ".pb.go"): // made by a program
		return nil
	case slices.Contains([]string{".go", ".js", ".ts", ".proto"}, extension):
		return slashComment
	case slices.Contains([]string{".sh", ".yml", ".yaml"}, extension), name == "Makefile", strings.HasPrefix(name, "Dockerfile"):
		return hashComment
	default:
		return nil
	}
}

// WideComments are the numbers of the lines that are comments and too wide to be read beside
// something else.
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
