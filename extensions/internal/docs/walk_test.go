package docs

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page lists at most nine files from script to socket. A test in extensions/machbase checks
// that no other file is involved.
func TestWalkOfAQueryIsShort(t *testing.T) {
	const page = "extensions/machbase/README.md"
	_, walk, found := strings.Cut(read(t, page), "## From the script to the bytes\n")
	require.True(t, found)
	walk, _, _ = strings.Cut(walk, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| \\[`[^`]+`\\]\\(([^)]+)\\) \\| ([^|]+) \\|").FindAllStringSubmatch(walk, -1)
	require.NotEmpty(t, rows)
	require.LessOrEqual(t, len(rows), 9)
	for _, row := range rows {
		source := read(t, path.Join(path.Dir(page), row[1]))
		names := codeSpan.FindAllStringSubmatch(row[2], -1)
		require.NotEmpty(t, names, row[1])
		for _, name := range names {
			require.Regexp(t, `(?m)^func (\([^)]+\) )?`+name[1]+`[(\[]`, source, "%s: %s", row[1], name[1])
		}
	}
}
