package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Shipped gate files are named after their scenarios; those for duets need no recorded runs.
func TestShippedFiles(t *testing.T) {
	const dir = "../../../thresholds"
	for _, kind := range []string{".", "duets"} {
		files, err := filepath.Glob(filepath.Join(dir, kind, "*.json"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			f, err := Parse(raw)
			require.NoError(t, err, file)
			require.Equal(t, strings.TrimSuffix(filepath.Base(file), ".json"), f.Scenario)
			require.FileExists(t, filepath.Join("../../../scenarios", f.Scenario+".js"))
			if kind == "duets" {
				require.Empty(t, f.Relative.Baseline)
				require.Empty(t, f.Absolute)
			}
		}
	}
}
