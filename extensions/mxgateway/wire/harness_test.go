package wire_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/gatewaytest"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

const key = "mxgw_id_secret"

// The .proto files of the tests: this project's, and two that share only the published names with
// it.
const (
	ownProto    = "../../../scenarios/lib/mxaccess_gateway.proto"
	vendorProto = "testdata/vendor.proto"
	proto2      = "testdata/proto2.proto"
)

func text(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)

	return string(raw)
}

func load(t *testing.T, path string) *wire.Schema {
	t.Helper()
	schema, err := wire.Load(context.Background(), filepath.Base(path), []string{filepath.Dir(path)}, "",
		func(path string) (io.ReadCloser, error) { return os.Open(path) })
	require.NoError(t, err)

	return schema
}

func dial(t *testing.T, o wire.Options) *wire.Conn {
	t.Helper()
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = 5 * time.Second
	}
	o.Dial = new(net.Dialer).DialContext
	conn, err := wire.Open(o)
	require.NoError(t, err)
	t.Cleanup(conn.Close)

	return conn
}

// TestMain fails if goroutines of connections are left after all tests.
func TestMain(m *testing.M) {
	code := m.Run()
	buffer := make([]byte, 1<<20)
	for until := time.Now().Add(10 * time.Second); code == 0; time.Sleep(time.Millisecond) {
		stacks := string(buffer[:runtime.Stack(buffer, true)])
		if !strings.Contains(stacks, "http2Client") && !strings.Contains(stacks, "ccBalancerWrapper") {
			break
		}
		if time.Now().After(until) {
			fmt.Fprintf(os.Stderr, "goroutines of connections are left:\n%s\n", stacks)
			code = 1
		}
	}
	os.Exit(code)
}

func registered(t *testing.T, conn *wire.Conn, schema *wire.Schema) *wire.Session {
	t.Helper()
	session, err := conn.OpenSession(t.Context(), schema, "test")
	require.NoError(t, err)
	_, err = session.Register(t.Context(), "test")
	require.NoError(t, err)

	return session
}

func gateway(t *testing.T, read func(ctx context.Context, n int) gatewaytest.Answer) *gatewaytest.Server {
	t.Helper()

	return gatewaytest.Start(t, gatewaytest.Options{Proto: text(t, ownProto), Key: key, Read: read})
}

var tags = []string{"A.x", "B.x", "C.x", "D.x", "E.x", "F.x"}
