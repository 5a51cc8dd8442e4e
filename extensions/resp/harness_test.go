package resp

import (
	"context"
	"encoding/json"
	"net"
	"os"
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
	"go.k6.io/k6/v2/lib/netext"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6test"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// vu is a virtual user in which a test runs JavaScript. `resp` is the module, `attempt(fn)` returns what fn throws as
// { name, message, kind }, and null when it throws nothing.
type vu struct {
	*modulestest.Runtime
	k6test.Samples

	t       *testing.T
	runtime *sobek.Runtime
}

// redisURL is that of the server that the tests share.
func redisURL(t *testing.T) string {
	t.Helper()
	url := os.Getenv("REDIS_URL")
	require.NotEmpty(t, url, "run scripts/servers.sh with redis -- go test ./resp/...")

	return url
}

// newVU returns the VU of setup, with the URL of the shared server as `url`.
func newVU(t *testing.T) *vu {
	t.Helper()
	v := newInitVU(t, New())
	v.start()

	return v
}

// newInitVU returns a VU in the init context.
func newInitVU(t *testing.T, root modules.Module) *vu {
	t.Helper()
	v := &vu{Runtime: modulestest.NewRuntime(t), t: t}
	v.runtime = v.VU.Runtime()
	v.VU.InitEnvField.BuiltinMetrics = v.BuiltinMetrics
	require.NoError(t, v.SetupModuleSystem(map[string]any{ImportPath: root}, nil, nil))
	_, err := v.runtime.RunString(`
		var resp = require('k6/x/resp');
		var attempt = (fn) => {
			try { fn(); } catch (e) {
				return { name: e.name, message: e.message, kind: e.kind, isError: e instanceof Error };
			}
			return null;
		};
	`)
	require.NoError(t, err)
	require.NoError(t, v.runtime.Set("url", redisURL(t)))

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

// result is what run and hitRate return.
type result struct {
	Ops, Failed, Wrong, Hits, Misses, HotAccesses, HotHits, Refused, BytesRead, BytesWritten, Accesses, Left int
	Seconds                                                                                                  float64
}

// bench runs an expression whose value is a result.
func (v *vu) bench(expression string) result {
	v.t.Helper()
	value, err := v.runtime.RunString(`JSON.stringify(` + expression + `)`)
	require.NoError(v.t, err, expression)
	var r result
	require.NoError(v.t, json.Unmarshal([]byte(value.String()), &r))

	return r
}

// thrown is an exception of the module.
type thrown struct{ Message, Kind string }

// fail runs JavaScript that must throw an error of the module.
func (v *vu) fail(script string) thrown {
	v.t.Helper()
	value, err := v.runtime.RunString(`attempt(() => { ` + script + ` })`)
	require.NoError(v.t, err, script)
	require.False(v.t, sobek.IsNull(value), "nothing was thrown by: %s", script)
	e := value.Export().(map[string]any)
	require.Equal(v.t, "RespError", e["name"], "%v", e)
	require.Equal(v.t, true, e["isError"])

	return thrown{e["message"].(string), e["kind"].(string)}
}

// step runs a step of n clients: each runs before, and then during until its share is done.
func step(t *testing.T, n int, plan measure.Plan, before, during string) measure.Reading {
	t.Helper()
	root, s := New(), measure.NewStep(n, plan, nil)
	errs := make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		v := newInitVU(t, root)
		v.start()
		session := &k6glue.Session{Client: s.Client(i), Op: "step"}
		v.VU.CtxField = k6glue.WithSession(v.VU.CtxField, session)
		wait.Go(func() {
			defer session.End()
			defer s.Client(i).Leave()
			if _, errs[i] = v.runtime.RunString(before); errs[i] != nil {
				return
			}
			errs[i] = s.Client(i).Run(context.Background(), "step", nil, func() error {
				_, err := v.runtime.RunString(during)

				return err
			})
		})
	}
	wait.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}

	return s.Read()
}

// fake is a server that calls serve for each of its connections, and its address.
func fake(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var wait sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		wait.Wait()
	})
	wait.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wait.Go(func() {
				defer conn.Close()
				serve(conn)
			})
		}
	})

	return listener.Addr().String()
}

// requireNoneLeft fails when goroutines of the module or of go-redis do not end.
func requireNoneLeft(t *testing.T) {
	t.Helper()
	buffer := make([]byte, 1<<20)
	require.Eventually(t, func() bool {
		stacks := string(buffer[:runtime.Stack(buffer, true)])

		return !strings.Contains(stacks, "resp.(*client)") && !strings.Contains(stacks, "go-redis")
	}, 10*time.Second, 10*time.Millisecond)
}
