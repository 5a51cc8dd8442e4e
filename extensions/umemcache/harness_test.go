package umemcache

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/umemtest"
)

type vu struct {
	*testutil.Runner

	t *testing.T
}

func newVU(t *testing.T, server *umemtest.Server) *vu {
	t.Helper()
	v := newInitVU(t, New(), server)
	v.Start(1)

	return v
}

func newInitVU(t *testing.T, root modules.Module, server *umemtest.Server) *vu {
	t.Helper()
	v := &vu{testutil.NewRunner(t, ImportPath, root), t}
	v.Set("addr", server.Address())

	return v
}

type thrown struct{ Message, Kind string }

func (v *vu) fail(script string) thrown {
	v.t.Helper()
	e := v.Fail(script)
	require.Equal(v.t, "UmemcacheError", e.Name, "%v", e)

	return thrown{e.Message, e.Kind}
}

func requireNoneLeft(t *testing.T) {
	t.Helper()
	testutil.RequireNoneLeft(t, "umemcache.(*client)")
}
