package mxgateway

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib/fsext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/gatewaytest"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const key = "mxgw_id_secret"

// vu is a VU with the module as `mxgateway`, the gateway's `address`, and `options` for a Client.
type vu struct {
	*testutil.Runner

	t *testing.T
}

func ownProto(t *testing.T) (path, text string) {
	t.Helper()
	path, err := filepath.Abs("../../scenarios/lib/mxaccess_gateway.proto")
	require.NoError(t, err)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)

	return path, string(raw)
}

func start(t *testing.T, read func(ctx context.Context, n int) gatewaytest.Answer) *gatewaytest.Server {
	t.Helper()
	_, text := ownProto(t)

	return gatewaytest.Start(t, gatewaytest.Options{Proto: text, Key: key, Read: read, Reflection: true})
}

func newInitVU(t *testing.T, root modules.Module, address string) *vu {
	t.Helper()
	v := &vu{testutil.NewRunner(t, ImportPath, root), t}
	v.VU.InitEnvField.FileSystems = map[string]fsext.Fs{"file": fsext.NewOsFs()}
	proto, _ := ownProto(t)
	v.Set("address", address)
	v.Set("proto", proto)
	v.Set("key", key)
	v.Run(`
		var options = { proto, apiKey: key, timeout: '5s' };
		var tags = ['A.x', 'B.x', 'C.x'];
	`)

	return v
}

func newVU(t *testing.T, address string) *vu {
	t.Helper()
	v := newInitVU(t, New(), address)
	v.Run(`var client = new mxgateway.Client(address, options)`)
	v.Start(0)

	return v
}

type thrown struct {
	Message, Kind string
	Code          int64
}

func (v *vu) fail(script string) thrown {
	v.t.Helper()

	return v.own(v.Fail(script))
}

func (v *vu) rejected(expression string) thrown {
	v.t.Helper()

	return v.own(v.Rejected(expression))
}

func (v *vu) own(e testutil.Thrown) thrown {
	v.t.Helper()
	require.Equal(v.t, "GatewayError", e.Name, "%v", e)
	require.NotContains(v.t, e.Message, key)

	return thrown{e.Message, e.Kind, e.Code}
}

func step(
	t *testing.T, address string, n int, plan measure.Plan, prepare, before, during string,
) (measure.Reading, *vu) {
	t.Helper()
	root := New()
	var last *vu
	reading := testutil.Step(t, n, plan, "read", func() *testutil.Runner {
		last = newInitVU(t, root, address)
		last.Run(prepare)
		last.Start(0)

		return last.Runner
	}, before, during)

	return reading, last
}

func requireNoneLeft(t *testing.T) {
	t.Helper()
	testutil.RequireNoneLeft(t, "http2Client")
}
