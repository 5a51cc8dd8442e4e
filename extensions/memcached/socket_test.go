//go:build servers

package memcached

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
)

func TestUnixSocket(t *testing.T) {
	v := newVU(t)
	v.Set("path", testutil.Socket(t, testutil.MemcachedAddr(t)))
	for _, address := range []string{`path`, `'unix://' + path`} {
		require.Equal(t, "v", v.Run(`(() => { const client = new memcached.Client(`+address+`); client.set(key, 'v'); return client.get(key) })()`), address)
	}
}
