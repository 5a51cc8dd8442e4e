package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWideCommentsAreFound(t *testing.T) {
	wide := strings.Repeat("word ", 20) + "word"
	for file, text := range map[string]string{
		"a.go":               "// " + wide,
		"a.js":               "/** " + wide + " */",
		"a.d.ts":             "/**\n * " + wide + "\n */",
		"a.proto":            "  // " + wide,
		"a.sh":               "# " + wide,
		"scripts/a.yaml":     "  # " + wide,
		"Makefile":           "#" + wide,
		"scripts/Dockerfile": "# " + wide,
	} {
		lines := 0
		if strings.HasPrefix(text, "/**\n") {
			lines = 1
		}
		require.Equal(t, []int{2 + lines}, WideComments(file, "first\n"+text+"\n"), file)
	}
	for file, text := range map[string]string{
		"a.go":    "//nolint:all // " + wide,
		"a.d.ts":  `/// <reference path="` + wide + `" />`,
		"b.go":    "//\t" + wide + "\n*pointer = " + wide,
		"a.js":    "//   bin/k6 run " + wide,
		"a.sh":    "# shellcheck disable=" + wide + "\n#   " + wide,
		"a.md":    "# " + wide,
		"a.pb.go": "// " + wide,
		"c.go":    "code() // " + wide + "\n// " + wide[:97],
	} {
		require.Empty(t, WideComments(file, text), file)
	}
	require.Equal(t, []int{1}, WideComments("a.js", "//   "+wide+wide), "set off, and too wide all the same")
}

func TestCommentsAreNarrow(t *testing.T) {
	var wide []string
	read := 0
	require.NoError(t, walk(root, func(name string) error {
		raw, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		read++
		for _, number := range WideComments(name, string(raw)) {
			wide = append(wide, name+":"+strings.TrimSpace(strings.Split(string(raw), "\n")[number-1]))
		}

		return nil
	}))
	require.Greater(t, read, 1000)
	require.Empty(t, wide, "comments of more than 100 columns")
}
