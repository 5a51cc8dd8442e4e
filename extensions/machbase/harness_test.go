package machbase

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6test"
)

// vu is a virtual user in which a test runs JavaScript. `machbase` is the module, `attempt(fn)` returns what fn throws
// as { name, message, code, kind }, and null when it throws nothing.
type vu struct {
	*modulestest.Runtime
	k6test.Samples

	t       *testing.T
	runtime *sobek.Runtime
	module  *module

	exit func() // what k6 does when it is about to exit
}

// newVU returns a VU as scripts' functions run in, its module speaking through the driver.
func newVU(t *testing.T, driver Driver) *vu {
	t.Helper()
	v := newInitVU(t, driver)
	v.start(1)

	return v
}

// newInitVU returns a VU in the init context.
func newInitVU(t *testing.T, driver Driver) *vu {
	t.Helper()
	v := &vu{Runtime: modulestest.NewRuntime(t), t: t}
	v.runtime = v.VU.Runtime()
	v.VU.InitEnvField.BuiltinMetrics = v.BuiltinMetrics
	var exit func()
	v.VU.EventsField, exit = k6test.ExitEvents(t)
	v.exit = sync.OnceFunc(exit) // k6 exits once; one that still unsubscribes would be waited for in vain the second time
	require.NoError(t, v.SetupModuleSystem(map[string]any{ImportPath: moduleWith{driver, &v.module}}, nil, nil))
	_, err := v.runtime.RunString(`
		var machbase = require('k6/x/machbase');
		var attempt = (fn) => {
			try { fn(); } catch (e) {
				return { name: e.name, message: e.message, code: e.code, kind: e.kind, isError: e instanceof Error };
			}
			return null;
		};
	`)
	require.NoError(t, err)

	return v
}

// start leaves the init context. VU 0 is that of setup.
func (v *vu) start(id uint64) {
	v.t.Cleanup(func() {
		v.exit()
		v.CancelContext()
	})
	registry := v.VU.InitEnv().Registry
	v.MoveToVUContext(&lib.State{
		BuiltinMetrics: v.BuiltinMetrics,
		Samples:        v.Channel(),
		Tags:           lib.NewVUStateTags(registry.RootTagSet()),
		Dialer:         new(net.Dialer),
		VUID:           id,
	})
}

// moduleWith is the module, with a driver of a test's own when there is one.
type moduleWith struct {
	driver Driver
	made   **module
}

func (w moduleWith) NewModuleInstance(vu modules.VU) modules.Instance {
	m := New().NewModuleInstance(vu).(*module)
	if w.driver != nil {
		m.driverNamed = func(string) (Driver, error) { return w.driver, nil }
	}
	*w.made = m

	return m
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
	Name, Message, Kind string
	Code                int64
}

// fail runs JavaScript that must throw an error of the module.
func (v *vu) fail(script string) thrown {
	v.t.Helper()
	value, err := v.runtime.RunString(`attempt(() => { ` + script + ` })`)
	require.NoError(v.t, err, script)
	require.False(v.t, sobek.IsNull(value), "nothing was thrown by: %s", script)
	e := value.Export().(map[string]any)
	require.Equal(v.t, "MachbaseError", e["name"], "%v", e)
	require.Equal(v.t, true, e["isError"])

	return thrown{e["name"].(string), e["message"].(string), e["kind"].(string), e["code"].(int64)}
}

// serverURL is the address of a real Machbase, without which a server test fails.
func serverURL(t *testing.T) string {
	t.Helper()
	url := os.Getenv("MACHBASE_URL")
	if url == "" {
		t.Fatal("MACHBASE_URL is not set; run scripts/servers.sh with machbase -- go test ./machbase/...")
	}

	return url
}

// newServerVU returns a VU with a `client` of the real server, and a name of its own for the test's tables.
func newServerVU(t *testing.T) *vu {
	t.Helper()
	url := serverURL(t)
	t.Cleanup(func() { requireNoneLeft(t) }) // after all that the test itself cleans up
	v := newVU(t, nil)
	require.NoError(t, v.runtime.Set("url", url))
	v.run(`var client = new machbase.Client(url)`)

	return v
}

// table creates a table under a name of this test's own, which it returns, and drops it when the test ends. The word
// TABLE in the statement stands for the name.
func (v *vu) table(create string) string {
	v.t.Helper()
	tables++
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), tables)
	v.run(`client.exec(` + quote(strings.ReplaceAll(create, "TABLE", name)) + `)`)
	require.NoError(v.t, v.runtime.Set("table", name))
	v.t.Cleanup(func() { // before the VU's own clean-up, which ends the context
		v.run(`client.close()`)
		require.Eventually(v.t, func() bool { // a query that was given up may hold the table for a while
			return v.run(`attempt(() => client.exec('drop table ` + name + `'))?.kind !== 'busy'`).(bool)
		}, 20*time.Second, 50*time.Millisecond)
		v.run(`client.close()`)
	})

	return name
}

var tables int

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}

	return string(raw)
}

// requireNoneLeft fails when goroutines of the module do not end.
func requireNoneLeft(t *testing.T) {
	t.Helper()
	for _, name := range []string{"machbase.openSession", "k6glue.OnVUEnd"} {
		require.Eventually(t, func() bool { return k6test.Goroutines(name) == 0 }, 10*time.Second, time.Millisecond,
			"goroutines are left in %s", name)
	}
}
