package memcached

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6test"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/internal/testserver"
)

// vu is a VU with the module as `memcached`, the address of the shared server as `addr`, and a
// `key` that no other test has.
type vu struct {
	*k6test.Runner

	t *testing.T
}

// newVU returns a VU as scripts' functions run in.
func newVU(t *testing.T) *vu {
	t.Helper()
	v := newInitVU(t, New())
	v.Start(1)

	return v
}

// newInitVU returns a VU in the init context.
func newInitVU(t *testing.T, root modules.Module) *vu {
	t.Helper()
	v := &vu{k6test.NewRunner(t, ImportPath, root), t}
	v.Set("addr", testserver.Addr(t))
	keys++
	v.Set("key", fmt.Sprintf("module-test-%d-%d", os.Getpid(), keys))

	return v
}

var keys int

// thrown is an exception of the module.
type thrown struct{ Message, Kind string }

// fail runs JavaScript that must throw an error of the module.
func (v *vu) fail(script string) thrown {
	v.t.Helper()
	e := v.Fail(script)
	require.Equal(v.t, "MemcachedError", e.Name, "%v", e)

	return thrown{e.Message, e.Kind}
}

// requireNoneLeft fails when goroutines of the module do not end.
func requireNoneLeft(t *testing.T) {
	t.Helper()
	k6test.RequireNoneLeft(t, "memcached.(*client)")
}
