package main

import (
	"fmt"
	"os"
	"strings"
)

// putPart replaces what stands between the two marks of a part in a page of Markdown.
func putPart(page, part, text string) error {
	return rewrite(page, func(old string) (string, error) { return replacePart(old, part, text) })
}

// putFigure replaces what stands between the two marks of a part within a line of a page.
func putFigure(page, part, text string) error {
	return rewrite(page, func(old string) (string, error) {
		return replaceBetween(old, "<!-- "+part+" -->", "<!-- /"+part+" -->", text)
	})
}

func rewrite(page string, replace func(old string) (string, error)) error {
	raw, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	replaced, err := replace(string(raw))
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}

	return os.WriteFile(page, []byte(replaced), 0o644) //nolint:gosec // a page that everybody may read
}

func replacePart(page, part, text string) (string, error) {
	return replaceBetween(page, "<!-- "+part+" -->\n", "<!-- /"+part+" -->\n", strings.TrimRight(text, "\n")+"\n")
}

func replaceBetween(page, begin, end, text string) (string, error) {
	before, rest, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("it has no part between %s and %s", strings.TrimSpace(begin), strings.TrimSpace(end))
	}

	return before + begin + text + end + after, nil
}

func hasPart(page, part string) bool {
	_, err := replacePart(page, part, "")

	return err == nil
}
