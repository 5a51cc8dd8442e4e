package docs

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each page of a module lists the files between a script and the socket, at most ten in a table,
// with functions that exist. A test in extensions/machbase checks that no other file is involved.
func TestWalksAreShort(t *testing.T) {
	rows := regexp.MustCompile("(?m)^\\| \\[`[^`]+`\\]\\(([^)]+)\\)[^|]* \\| ([^|]+) \\|")
	for _, module := range append(modules(t), "sql", "influx") {
		page := path.Join("extensions", module, "README.md")
		_, walk, found := strings.Cut(read(t, page), "## From the script to the bytes\n")
		require.True(t, found, page)
		walk, _, _ = strings.Cut(walk, "\n## ")
		for _, table := range strings.Split(walk, "|---|---|---|\n")[1:] {
			files := rows.FindAllStringSubmatch(table, -1)
			require.NotEmpty(t, files, page)
			require.LessOrEqual(t, len(files), 10, page)
			for _, row := range files {
				source := read(t, path.Join(path.Dir(page), row[1]))
				names := codeSpan.FindAllStringSubmatch(row[2], -1)
				require.NotEmpty(t, names, row[1])
				for _, name := range names {
					require.Regexp(t, `(?m)^func (\([^)]+\) )?`+name[1]+`[(\[]`, source, "%s: %s", row[1], name[1])
				}
			}
		}
	}
}
