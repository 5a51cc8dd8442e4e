package memcached

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
)

// vu is a VU with the module as `memcached`, the address of the tests' server as `addr`, and a
// `key` that no other test uses.
type vu struct {
	*testutil.Runner

	t *testing.T
}

func newVU(t *testing.T) *vu {
	t.Helper()
	v := newInitVU(t, New())
	v.Start(1)

	return v
}

func newInitVU(t *testing.T, root modules.Module) *vu {
	t.Helper()
	v := &vu{testutil.NewRunner(t, ImportPath, root), t}
	v.Set("addr", testutil.MemcachedAddr(t))
	keys++
	v.Set("key", fmt.Sprintf("module-test-%d-%d", os.Getpid(), keys))

	return v
}

var keys int

type thrown struct{ Message, Kind string }

func (v *vu) fail(script string) thrown {
	v.t.Helper()
	e := v.Fail(script)
	require.Equal(v.t, "MemcachedError", e.Name, "%v", e)

	return thrown{e.Message, e.Kind}
}

func requireNoneLeft(t *testing.T) {
	t.Helper()
	testutil.RequireNoneLeft(t, "memcached.(*client)")
}
