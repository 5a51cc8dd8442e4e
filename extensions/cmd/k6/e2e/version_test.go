package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBothBuildsHaveTheSameExtensions(t *testing.T) {
	t.Parallel()
	pinned := extensions(t, "k6-race")
	require.Equal(t, pinned, extensions(t, "k6-xk6"))

	all := strings.Join(pinned, "\n")
	for _, name := range []string{"k6/x/sweep [js]", "k6/x/machbase [js]", "k6/x/redis [js]", "xk6-redis v0.4.3"} {
		require.Contains(t, all, name)
	}
}

func extensions(t *testing.T, name string) []string {
	t.Helper()
	cmd := exec.Command(binary(t, name), "version")
	cmd.Env = append(cmd.Environ(), "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true")
	out, err := cmd.Output()
	require.NoError(t, err)
	_, list, found := strings.Cut(string(out), "Extensions:\n")
	require.True(t, found, "k6 lists no extensions:\n%s", out)

	return strings.Split(strings.TrimSpace(list), "\n")
}
