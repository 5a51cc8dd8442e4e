package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

type Page struct {
	Path  string
	Lines []string
}

// passed are folders with generated, installed or example files.
var passed = []string{".git", "artifacts", "bin", "dist", "node_modules", "results", "testdata"}

// walk calls fn with the slash-separated path of each file in the repository.
func walk(root string, fn func(name string) error) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(passed, entry.Name()) {
				return fs.SkipDir
			}

			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}

		return fn(filepath.ToSlash(name))
	})
}

func Pages(root string) (pages []Page, err error) {
	err = walk(root, func(name string) error {
		if filepath.Ext(name) != ".md" {
			return nil
		}
		raw, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		pages = append(pages, Page{Path: name, Lines: strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")})

		return nil
	})

	return pages, err
}

type Block struct {
	Language string
	First    int
	Lines    []string
}

// parts splits the page into text and blocks. In text, the lines of blocks and comments are empty.
func (p Page) parts() (text []string, blocks []Block) {
	text = slices.Clone(p.Lines)
	var open *Block
	for i, line := range p.Lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```") && open == nil:
			open = &Block{Language: strings.TrimPrefix(trimmed, "```"), First: i + 2}
		case trimmed == "```":
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.Lines = append(open.Lines, line)
		case strings.HasPrefix(trimmed, "<!--"):
		default:
			continue
		}
		text[i] = ""
	}

	return text, blocks
}

func (p Page) Text() []string {
	text, _ := p.parts()

	return text
}

func (p Page) Blocks() []Block {
	_, blocks := p.parts()

	return blocks
}

var (
	linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeSpan   = regexp.MustCompile("`([^`]+)`")
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
	linkInHead = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

func (p Page) Links() map[int][]string {
	links := map[int][]string{}
	for i, line := range p.Text() {
		for _, found := range linkTarget.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
			links[i+1] = append(links[i+1], found[1])
		}
	}

	return links
}

func (p Page) Anchors() []string {
	var anchors []string
	for _, line := range p.Text() {
		marks, heading, found := strings.Cut(line, " ")
		if !found || strings.Trim(marks, "#") != "" || marks == "" {
			continue
		}
		slug := strings.ToLower(linkInHead.ReplaceAllString(heading, "$1"))
		slug = strings.ReplaceAll(notInSlug.ReplaceAllString(slug, ""), " ", "-")
		anchors = append(anchors, slug)
	}

	return anchors
}
