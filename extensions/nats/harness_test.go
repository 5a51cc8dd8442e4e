package nats

import (
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6test"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/internal/natstest"
)

// vu is a virtual user in which a test runs JavaScript. `nats` is the module, `attempt(fn)` returns what fn throws
// as { name, message, kind, code }, and null when it throws nothing.
type vu struct {
	*modulestest.Runtime
	k6test.Samples

	t       *testing.T
	runtime *sobek.Runtime
	dialer  *netext.Dialer

	exit func() // what k6 does when it is about to exit
}

// newVU returns a VU as scripts' functions run in, with the address of the shared server as `url` and a name that no other test has as `unique`.
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
		var nats = require('k6/x/nats');
		var attempt = (fn) => {
			try { fn(); } catch (e) {
				return { name: e.name, message: e.message, kind: e.kind, code: e.code, isError: e instanceof Error };
			}
			return null;
		};
	`)
	require.NoError(t, err)
	require.NoError(t, v.runtime.Set("url", natsURL(t)))
	require.NoError(t, v.runtime.Set("unique", strings.ReplaceAll(nuid.Next(), ".", "")))

	return v
}

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

// loop runs JavaScript on k6's event loop, until all that it has begun is done.
func (v *vu) loop(script string) {
	v.t.Helper()
	_, err := v.RunOnEventLoop(`(async () => { ` + script + ` })()`)
	require.NoError(v.t, err, script)
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
	Code          int64
}

// fail runs JavaScript that must throw an error of the module.
func (v *vu) fail(script string) thrown {
	v.t.Helper()
	value, err := v.runtime.RunString(`attempt(() => { ` + script + ` })`)
	require.NoError(v.t, err, script)
	require.False(v.t, sobek.IsNull(value), "nothing was thrown by: %s", script)
	e := value.Export().(map[string]any)
	require.Equal(v.t, "NatsError", e["name"], "%v", e)
	require.Equal(v.t, true, e["isError"])

	return thrown{e["message"].(string), e["kind"].(string), e["code"].(int64)}
}

func TestMain(m *testing.M) { os.Exit(natstest.Main(m)) }

// natsURL is the address of the server that the tests share.
func natsURL(t *testing.T) string {
	t.Helper()

	return natstest.URL(t)
}

// server is a nats-server of a test's own.
type server struct {
	*natstest.Server

	t *testing.T
}

// startServer starts one on a port of its own, with JetStream and further configuration.
func startServer(t *testing.T, configuration string) *server {
	t.Helper()

	return &server{natstest.Start(t, configuration), t}
}

// restart starts it again, at the same address, after kill.
func (s *server) restart() {
	s.t.Helper()
	s.Restart(s.t)
}

// kill ends it as a crash would.
func (s *server) kill() { s.Kill() }

// stop makes it stand still: it takes connections and answers nothing. kill ends it all the same.
func (s *server) stop() {
	s.t.Helper()
	require.NoError(s.t, s.Process().Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(s.Process().Pid, &status, syscall.WUNTRACED, nil) // until all its threads stand still
	require.NoError(s.t, err)
	require.True(s.t, status.Stopped())
}

// fake listens at a port, which it returns as a URL, and lets serve do what it likes with each connection.
func fake(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var work sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			work.Go(func() {
				defer func() { _ = conn.Close() }()
				serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for _, conn := range conns {
			_ = conn.Close()
		}
		mu.Unlock()
		work.Wait()
	})

	return "nats://" + listener.Addr().String()
}

// plainConn is a connection of the test's own to a server.
func plainConn(t *testing.T, url string) *natsio.Conn {
	t.Helper()
	nc, err := natsio.Connect(url)
	require.NoError(t, err)
	t.Cleanup(nc.Close)

	return nc
}

// requireNoneLeft fails when goroutines of the module or of nats.go do not end.
func requireNoneLeft(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return len(left()) == 0 }, 10*time.Second, 5*time.Millisecond)
	require.Empty(t, left())
}

// left are the goroutines of the module and of nats.go that there are.
func left() []string {
	buffer := make([]byte, 1<<20)
	var found []string
	for _, stack := range strings.Split(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		ours := strings.Contains(stack, "extensions/nats.") && !strings.Contains(stack, "testing.tRunner") &&
			!strings.Contains(stack, "nats.left") && !strings.Contains(stack, "nats.fake")
		if strings.Contains(stack, "resetPendingAcksOnReconnect") { // nats.go can leave one behind where an object is put
			continue
		}
		if ours || strings.Contains(stack, "nats-io/nats.go") || strings.Contains(stack, "k6glue.OnVUEnd") {
			found = append(found, stack)
		}
	}

	return found
}
