package memcached

import (
	"fmt"
	"net"
	"os"
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

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6test"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/internal/testserver"
)

// vu is a virtual user in which a test runs JavaScript. `memcached` is the module, `attempt(fn)` returns what fn throws
// as { name, message, kind, index, results }, and null when it throws nothing.
type vu struct {
	*modulestest.Runtime
	k6test.Samples

	t       *testing.T
	runtime *sobek.Runtime
	dialer  *netext.Dialer

	exit func() // what k6 does when it is about to exit
}

// newVU returns a VU as scripts' functions run in, with the address of the shared server as `addr`.
func newVU(t *testing.T) *vu {
	t.Helper()
	v := newInitVU(t, New())
	v.start(1)

	return v
}

// newInitVU returns a VU in the init context.
func newInitVU(t *testing.T, root modules.Module) *vu {
	t.Helper()
	v := &vu{Runtime: modulestest.NewRuntime(t), t: t}
	v.runtime = v.VU.Runtime()
	v.VU.InitEnvField.BuiltinMetrics = v.BuiltinMetrics
	var exit func()
	v.VU.EventsField, exit = k6test.ExitEvents(t)
	v.exit = sync.OnceFunc(exit) // k6 exits once; one that still unsubscribes would be waited for in vain the second time
	require.NoError(t, v.SetupModuleSystem(map[string]any{ImportPath: root}, nil, nil))
	_, err := v.runtime.RunString(`
		var memcached = require('k6/x/memcached');
		var attempt = (fn) => {
			try { fn(); } catch (e) {
				return { name: e.name, message: e.message, kind: e.kind, isError: e instanceof Error };
			}
			return null;
		};
	`)
	require.NoError(t, err)
	require.NoError(t, v.runtime.Set("addr", testserver.Addr(t)))
	keys++
	require.NoError(t, v.runtime.Set("key", fmt.Sprintf("module-test-%d-%d", os.Getpid(), keys)))

	return v
}

var keys int

// start leaves the init context. VU 0 is that of setup.
func (v *vu) start(id uint64) {
	v.t.Cleanup(func() {
		v.exit()
		v.CancelContext()
	})
	registry := v.VU.InitEnv().Registry
	v.dialer = netext.NewDialer(net.Dialer{}, netext.NewResolver(net.LookupIP, 0, types.DNSfirst, types.DNSpreferIPv4))
	v.MoveToVUContext(&lib.State{
		BuiltinMetrics: v.BuiltinMetrics,
		Samples:        v.Channel(),
		Tags:           lib.NewVUStateTags(registry.RootTagSet()),
		VUID:           id,
		Dialer:         v.dialer,
	})
}

// run runs JavaScript, which must not throw, and returns its value.
func (v *vu) run(script string) any {
	v.t.Helper()
	value, err := v.runtime.RunString(script)
	require.NoError(v.t, err, script)

	return value.Export()
}

// js is run for a value that is compared as JSON; BigInts become strings such as "12n".
func (v *vu) js(expression string) string {
	v.t.Helper()

	return v.run(`JSON.stringify((() => { return ` + expression +
		`; })(), (_, x) => typeof x === 'bigint' ? x + 'n' : x)`).(string)
}

// thrown is an exception of the module.
type thrown struct {
	Message, Kind string
}

// fail runs JavaScript that must throw an error of the module.
func (v *vu) fail(script string) thrown {
	v.t.Helper()
	value, err := v.runtime.RunString(`attempt(() => { ` + script + ` })`)
	require.NoError(v.t, err, script)
	require.False(v.t, sobek.IsNull(value), "nothing was thrown by: %s", script)
	e := value.Export().(map[string]any)
	require.Equal(v.t, "MemcachedError", e["name"], "%v", e)
	require.Equal(v.t, true, e["isError"])

	return thrown{e["message"].(string), e["kind"].(string)}
}

// requireNoneLeft fails when goroutines of the module do not end.
func requireNoneLeft(t *testing.T) {
	t.Helper()
	for _, name := range []string{"memcached.(*client)", "k6glue.OnVUEnd"} {
		require.Eventually(t, func() bool { return k6test.Goroutines(name) == 0 }, 10*time.Second, time.Millisecond,
			"goroutines are left in %s", name)
	}
}
