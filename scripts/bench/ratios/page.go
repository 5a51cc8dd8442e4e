package main

import (
	"fmt"
	"os"
	"strings"
)

// putPart replaces what stands between the two marks of a part in a page of Markdown.
func putPart(page, part, text string) error {
	raw, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	replaced, err := replacePart(string(raw), part, text)
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}

	return os.WriteFile(page, []byte(replaced), 0o644) //nolint:gosec // a page that everybody may read
}

func replacePart(page, part, text string) (string, error) {
	begin, end := "<!-- "+part+" -->\n", "<!-- /"+part+" -->\n"
	before, rest, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("it has no part between %s and %s", strings.TrimSpace(begin), strings.TrimSpace(end))
	}

	return before + begin + strings.TrimRight(text, "\n") + "\n" + end + after, nil
}

func hasPart(page, part string) bool {
	_, err := replacePart(page, part, "")

	return err == nil
}
