package sweep

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
)

func TestExecutorIsRegistered(t *testing.T) {
	config, err := lib.GetParsedExecutorConfig("rollup", executor.Type, []byte(`{"executor": "client-sweep", "clients": [1], "iterations": 1}`))
	require.NoError(t, err)
	require.IsType(t, &executor.Config{}, config)
}
