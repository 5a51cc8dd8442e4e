package examples

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A user's script measures long enough, says how to change that, and its report and baseline do not
// get the name of one of our scenarios, which have other operations and gates.
func TestScripts(t *testing.T) {
	for _, kind := range Kinds {
		raw, command, err := Script(kind, "mine.js")
		require.NoError(t, err)
		require.Regexp(t, `^k6 run mine\.js -e [A-Z]+_URL=\S+ .*-e DURATION=10s$`, command)
		script := string(raw)
		require.Contains(t, script, "duration: '5s'", kind)
		scenario := regexp.MustCompile(`scenario: '([^']+)'`).FindStringSubmatch(script)
		require.Len(t, scenario, 2, kind)
		for _, ours := range []string{"../thresholds/" + scenario[1] + ".json", "../scenarios/" + scenario[1] + ".js"} {
			_, err := os.Stat(ours)
			require.ErrorIs(t, err, os.ErrNotExist, kind)
		}
	}
}
