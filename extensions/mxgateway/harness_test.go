package mxgateway

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/fsext"
	"go.k6.io/k6/v2/lib/netext"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6test"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/gatewaytest"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

const key = "mxgw_id_secret"

// vu is a virtual user in which a test runs JavaScript. `mxgateway` is the module, `attempt(fn)` returns what fn throws as
// { name, message, kind, code }, and null when it throws nothing.
type vu struct {
	*modulestest.Runtime
	k6test.Samples

	t       *testing.T
	runtime *sobek.Runtime
}

// ownProto is this project's .proto, as tests of this folder open it.
func ownProto(t *testing.T) (path, text string) {
	t.Helper()
	path, err := filepath.Abs("../../scenarios/lib/mxaccess_gateway.proto")
	require.NoError(t, err)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)

	return path, string(raw)
}

// start starts a gateway.
func start(t *testing.T, read func(ctx context.Context, n int) gatewaytest.Answer) *gatewaytest.Server {
	t.Helper()
	_, text := ownProto(t)

	return gatewaytest.Start(t, gatewaytest.Options{Proto: text, Key: key, Read: read, Reflection: true})
}

// newInitVU returns a VU in the init context, with the gateway's `address` and `options` for a Client.
func newInitVU(t *testing.T, root modules.Module, address string) *vu {
	t.Helper()
	v := &vu{Runtime: modulestest.NewRuntime(t), t: t}
	v.runtime = v.VU.Runtime()
	v.VU.InitEnvField.BuiltinMetrics = v.BuiltinMetrics
	v.VU.InitEnvField.FileSystems = map[string]fsext.Fs{"file": fsext.NewOsFs()}
	require.NoError(t, v.SetupModuleSystem(map[string]any{ImportPath: root}, nil, nil))
	proto, _ := ownProto(t)
	require.NoError(t, v.runtime.Set("address", address))
	require.NoError(t, v.runtime.Set("proto", proto))
	require.NoError(t, v.runtime.Set("key", key))
	v.run(`
		var mxgateway = require('k6/x/mxgateway');
		var options = { proto, apiKey: key, timeout: '5s' };
		var attempt = (fn) => {
			try { fn(); } catch (e) {
				return { name: e.name, message: e.message, kind: e.kind, code: e.code, isError: e instanceof Error };
			}
			return null;
		};
		var tags = ['A.x', 'B.x', 'C.x'];
	`)

	return v
}

// newVU returns the VU of setup, with a `client`.
func newVU(t *testing.T, address string) *vu {
	t.Helper()
	v := newInitVU(t, New(), address)
	v.run(`var client = new mxgateway.Client(address, options)`)
	v.start()

	return v
}

// start leaves the init context.
func (v *vu) start() {
	v.t.Cleanup(v.CancelContext)
	v.MoveToVUContext(&lib.State{
		BuiltinMetrics: v.BuiltinMetrics,
		Samples:        v.Channel(),
		Tags:           lib.NewVUStateTags(v.VU.InitEnv().Registry.RootTagSet()),
		Dialer:         netext.NewDialer(net.Dialer{}, netext.NewResolver(net.LookupIP, 0, types.DNSfirst, types.DNSpreferIPv4)),
	})
}

// run runs JavaScript, which must not throw.
func (v *vu) run(script string) {
	v.t.Helper()
	_, err := v.runtime.RunString(script)
	require.NoError(v.t, err, script)
}

// js is the value of an expression as JSON.
func (v *vu) js(expression string) string {
	v.t.Helper()
	value, err := v.runtime.RunString(`JSON.stringify(` + expression + `)`)
	require.NoError(v.t, err, expression)

	return value.String()
}

// later runs a promise's expression on the event loop, and returns what it comes to as JSON, or what it is rejected with.
func (v *vu) later(expression string) string {
	v.t.Helper()
	v.run(`var settled`)
	_, err := v.RunOnEventLoop(`(` + expression + `).then((value) => { settled = { value } },
		(e) => { settled = { name: e.name, message: e.message, kind: e.kind, code: e.code } })`)
	require.NoError(v.t, err, expression)

	return v.js(`settled`)
}

// thrown is an exception of the module.
type thrown struct {
	Message, Kind string
	Code          int64
}

// fail runs JavaScript that must throw an error of the module.
func (v *vu) fail(script string) thrown {
	v.t.Helper()
	value, err := v.runtime.RunString(`attempt(() => { ` + script + ` })`)
	require.NoError(v.t, err, script)
	require.False(v.t, sobek.IsNull(value), "nothing was thrown by: %s", script)
	e := value.Export().(map[string]any)
	require.Equal(v.t, "GatewayError", e["name"], "%v", e)
	require.Equal(v.t, true, e["isError"])
	require.NotContains(v.t, e["message"], key)

	return thrown{e["message"].(string), e["kind"].(string), e["code"].(int64)}
}

// step runs a step of n clients: each runs before, and then during until its share is done. It returns the step's reading.
func step(t *testing.T, address string, n int, plan measure.Plan, prepare, before, during string) (measure.Reading, *vu) {
	t.Helper()
	root, s := New(), measure.NewStep(n, plan, nil)
	errs := make([]error, n)
	var wait sync.WaitGroup
	var last *vu
	for i := range n {
		v := newInitVU(t, root, address)
		v.run(prepare)
		v.start()
		last = v
		session := &k6glue.Session{Client: s.Client(i), Op: "read"}
		v.VU.CtxField = k6glue.WithSession(v.VU.CtxField, session)
		wait.Go(func() {
			defer session.End()
			defer s.Client(i).Leave()
			if _, errs[i] = v.runtime.RunString(before); errs[i] != nil {
				return
			}
			errs[i] = s.Client(i).Run(context.Background(), "read", nil, func() error {
				_, err := v.runtime.RunString(during)

				return err
			})
		})
	}
	wait.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}

	return s.Read(), last
}

// requireNoneLeft fails when goroutines of connections do not end.
func requireNoneLeft(t *testing.T) {
	t.Helper()
	buffer := make([]byte, 1<<20)
	require.Eventually(t, func() bool {
		return !strings.Contains(string(buffer[:runtime.Stack(buffer, true)]), "http2Client")
	}, 10*time.Second, 10*time.Millisecond)
}
