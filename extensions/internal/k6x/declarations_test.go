package k6x

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

func TestModulesDeclareCommonText(t *testing.T) {
	t.Parallel()
	require.Equal(t, 1_000_000, MaxElements)
	for _, module := range []string{"machbase", "memcached", "mxgateway", "nats", "resp", "umemcache"} {
		content, err := os.ReadFile(filepath.Join("..", "..", module, "index.d.ts"))
		require.NoError(t, err)
		declared := string(content)
		require.Regexp(t, fmt.Sprintf("`%s` \\|( 0 \\|)? a fault in k6's extensions or in a library; its stack is in the log \\|",
			crash.Kind), declared, module)
		require.Contains(t, declared, "An array argument with more than 1,000,000 elements, or one that contains itself, is an error", module)
		if module != "mxgateway" { // it adds gRPC's kinds
			require.Regexp(t, `kind:[^;]*\| '`+crash.Kind+`'`, declared, module)
		}
	}
}
