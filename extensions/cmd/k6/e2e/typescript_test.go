package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTypeScript(t *testing.T) {
	t.Parallel()
	rep := k6(t, options{script: "../examples/quick-start.ts", env: map[string]string{defaultEnvMachbase: ""}}).report(t, "quick-start")
	require.Len(t, rep.Steps, 2)
	require.Equal(t, 40, rep.Steps[1].Ops)
}
