package docs

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStagesAreDescribed(t *testing.T) {
	makefile := read(t, "Makefile")
	var stages, rows []string
	for _, variable := range []string{"STAGES", "ALONE"} {
		list := regexp.MustCompile(`(?m)^` + variable + ` := (.+)$`).FindStringSubmatch(makefile)
		require.NotNil(t, list, variable)
		stages = append(stages, strings.Fields(list[1])...)
	}
	_, section, found := strings.Cut(read(t, ".github/CONTRIBUTING.md"), "## Stages of make test\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\|").FindAllStringSubmatch(section, -1) {
		rows = append(rows, row[1])
	}
	require.Equal(t, stages, rows)
}
