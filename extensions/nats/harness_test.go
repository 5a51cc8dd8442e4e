package nats

import (
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
)

// vu is a VU with the module as `nats`, the address of the tests' server as `url`, and a name that
// no other test uses as `unique`.
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
	v.Set("url", natsURL(t))
	v.Set("unique", strings.ReplaceAll(nuid.Next(), ".", ""))

	return v
}

type thrown struct {
	Message, Kind string
	Code          int64
}

func (v *vu) fail(script string) thrown {
	v.t.Helper()
	e := v.Fail(script)
	require.Equal(v.t, "NatsError", e.Name, "%v", e)

	return thrown{e.Message, e.Kind, e.Code}
}

func TestMain(m *testing.M) { os.Exit(testutil.NATSMain(m)) }

func natsURL(t *testing.T) string {
	t.Helper()

	return testutil.NATSURL(t)
}

type server struct{ *testutil.NATS }

func startServer(t *testing.T, configuration string) *server {
	t.Helper()

	return &server{testutil.StartNATS(t, configuration)}
}

func (s *server) restart() { s.Restart() }

func (s *server) kill() { s.Kill() }

func (s *server) stop() { s.Stop() }

func fake(t *testing.T, serve func(net.Conn)) string {
	t.Helper()

	return "nats://" + testutil.FakeServer(t, serve)
}

func plainConn(t *testing.T, url string) *natsio.Conn {
	t.Helper()
	nc, err := natsio.Connect(url)
	require.NoError(t, err)
	t.Cleanup(nc.Close)

	return nc
}

func requireNoneLeft(t *testing.T) {
	t.Helper()
	still := left()
	for begin := time.Now(); len(still) > 0 && time.Since(begin) < 10*time.Second; still = left() {
		time.Sleep(5 * time.Millisecond)
	}
	require.Empty(t, still)
}

func left() []string {
	buffer := make([]byte, 1<<20)
	var found []string
	for _, stack := range strings.Split(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		ours := strings.Contains(stack, "extensions/nats.") && !strings.Contains(stack, "testing.tRunner") &&
			!strings.Contains(stack, "nats.left") && !strings.Contains(stack, "nats.fake")
		if strings.Contains(stack, "resetPendingAcksOnReconnect") { // nats.go can leak this one when an object is put
			continue
		}
		if ours || strings.Contains(stack, "nats-io/nats.go") || strings.Contains(stack, "k6x.onEvent") {
			found = append(found, stack)
		}
	}

	return found
}
