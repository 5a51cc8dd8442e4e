package docs

import (
	"regexp"
	"strings"
)

type Command struct {
	Page        string
	Line        int
	Environment []string
	Words       []string
}

var (
	yamlCommand = regexp.MustCompile(`^\s*(?:- )?(?:run|script): (.*)$`)
	assignment  = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=`)
	inText      = regexp.MustCompile(`^(make|bin/k6|k6 x sweep|k6 run|scripts/[a-z-]+\.sh|go|docker)( |$)`)
)

// Commands returns the commands in the page's shell blocks, YAML steps and code spans.
func (p Page) Commands() []Command {
	var commands []Command
	add := func(line int, text string) {
		for _, c := range split(text) {
			c.Page, c.Line = p.Path, line
			commands = append(commands, c)
		}
	}
	for _, block := range p.Blocks() {
		for i := 0; i < len(block.Lines); i++ {
			line, first := block.Lines[i], block.First+i
			switch block.Language {
			case "sh", "bash", "console":
				for strings.HasSuffix(line, `\`) && i+1 < len(block.Lines) {
					i++
					line = strings.TrimSuffix(line, `\`) + " " + block.Lines[i]
				}
				add(first, line)
			case "yaml":
				if found := yamlCommand.FindStringSubmatch(line); found != nil {
					add(first, found[1])
				}
			}
		}
	}
	for i, line := range p.Text() {
		for _, span := range codeSpan.FindAllStringSubmatch(line, -1) {
			if inText.MatchString(span[1]) {
				add(i+1, span[1])
			}
		}
	}

	return commands
}

var commented = regexp.MustCompile(
	`^//\s{2,}((?:[A-Z_]+=\S+ )*(?:make|bin/k6|k6|scripts/[a-z-]+\.sh) .*)$`)

// CommandsIn returns the commands on indented comment lines of a JavaScript file.
func CommandsIn(path, text string) []Command {
	var commands []Command
	number := 0
	for line := range strings.Lines(text) {
		number++
		if found := commented.FindStringSubmatch(strings.TrimRight(line, "\r\n")); found != nil {
			for _, c := range split(found[1]) {
				c.Page, c.Line = path, number
				commands = append(commands, c)
			}
		}
	}

	return commands
}

// split splits a shell line into commands. A command inside $(...) stays one word.
func split(line string) []Command {
	var commands []Command
	current := Command{}
	end := func() {
		if len(current.Words) > 0 || len(current.Environment) > 0 {
			commands = append(commands, current)
		}
		current = Command{}
	}
	for _, w := range words(line) {
		name := assignment.FindStringSubmatch(w.text)
		switch {
		case !w.quoted && isSeparator(w.text):
			end()
		case len(current.Words) == 0 && name != nil:
			current.Environment = append(current.Environment, name[1])
		default:
			current.Words = append(current.Words, w.text)
		}
	}
	end()

	return commands
}

func isSeparator(word string) bool {
	switch word {
	case "&&", "||", ";", "|", "(", ")":
		return true
	default:
		return false
	}
}

type word struct {
	text string
	// quoted words are not operators.
	quoted bool
}

// words splits a line as a shell does, up to a comment. It handles quotes, $(...) and operators.
func words(line string) []word {
	s := &splitter{}
	for _, letter := range line {
		if letter == '#' && s.text.Len() == 0 && !s.held() {
			break
		}
		s.take(letter)
	}
	s.end()

	return s.words
}

type splitter struct {
	words  []word
	text   strings.Builder
	quoted bool
	quote  rune
	depth  int
	before rune
}

// held reports whether the next character belongs to the word in any case.
func (s *splitter) held() bool { return s.quote != 0 || s.depth > 0 }

func (s *splitter) take(letter rune) {
	substitutes := s.before == '$' && letter == '('
	s.before = letter
	switch {
	case s.quote != 0 || s.depth > 0:
		s.takeHeld(letter)
	case letter == '\'' || letter == '"':
		s.quote, s.quoted = letter, true
	case substitutes:
		s.depth++
		s.text.WriteRune(letter)
	case letter == ' ' || letter == '\t':
		s.end()
	case strings.ContainsRune(";()", letter):
		s.end()
		s.words = append(s.words, word{text: string(letter)})
	default:
		s.text.WriteRune(letter)
	}
}

func (s *splitter) takeHeld(letter rune) {
	switch {
	case letter == s.quote:
		s.quote = 0

		return
	case s.quote == 0 && letter == '(':
		s.depth++
	case s.quote == 0 && letter == ')':
		s.depth--
	}
	s.text.WriteRune(letter)
}

func (s *splitter) end() {
	if s.text.Len() > 0 || s.quoted {
		s.words = append(s.words, word{s.text.String(), s.quoted})
	}
	s.text.Reset()
	s.quoted = false
}
