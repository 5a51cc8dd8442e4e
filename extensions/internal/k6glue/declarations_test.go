package k6glue

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

func TestModulesDeclareWhatTheyHaveInCommon(t *testing.T) {
	t.Parallel()
	require.Equal(t, 1_000_000, MaxElements)
	for _, module := range []string{"machbase", "memcached", "mxgateway", "nats", "resp", "umemcache"} {
		content, err := os.ReadFile(filepath.Join("..", "..", module, "index.d.ts"))
		require.NoError(t, err)
		declared := string(content)
		require.Regexp(t, fmt.Sprintf("`%s` \\|( 0 \\|)? a fault in k6's extensions or in a library, not in the script or the server; its stack is in the log \\|",
			crash.Kind), declared, module)
		require.Contains(t, declared, "An array that a call is given has at most 1,000,000 elements, and none holds itself", module)
		if module != "mxgateway" { // it adds gRPC's kinds
			require.Regexp(t, `kind:[^;]*\| '`+crash.Kind+`'`, declared, module)
		}
	}
}
