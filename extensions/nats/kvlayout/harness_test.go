package kvlayout_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"github.com/stretchr/testify/require"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

func TestMain(m *testing.M) { os.Exit(testutil.NATSMain(m)) }

func serverURL(t *testing.T) string {
	t.Helper()

	return testutil.NATSURL(t)
}

func connect(t *testing.T, address string, options ...nats.Option) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(address, options...)
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(t, err)

	return js
}

func open(t *testing.T, js jetstream.JetStream, layout kvlayout.Layout) (store *kvlayout.Store, database string) {
	t.Helper()
	database = "db-" + nuid.Next()
	store, err := kvlayout.Open(t.Context(), js, kvlayout.Options{Layout: layout, Database: database})
	require.NoError(t, err)
	t.Cleanup(func() {
		if !js.Conn().IsClosed() {
			require.NoError(t, store.Drop(context.Background()))
		}
	})

	return store, database
}

func put(t *testing.T, store *kvlayout.Store, names ...string) {
	t.Helper()
	for _, name := range names {
		table, key, ok := strings.Cut(name, "/")
		if !ok {
			table, key = "", name
		}
		require.NoError(t, store.Put(t.Context(), kvlayout.Record{Table: table, Key: key}))
	}
}

func noGoroutineLeft(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, // one is of Eventually
			20*time.Second, 10*time.Millisecond)
	})
}

type line struct {
	address string
	left    atomic.Int64
	cut     atomic.Bool
}

func newLine(t *testing.T) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	first, _, _ := strings.Cut(serverURL(t), ",")
	server, err := url.Parse(first)
	require.NoError(t, err)
	l := &line{address: "nats://" + listener.Addr().String()}
	l.left.Store(1 << 40)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		client, err := listener.Accept()
		if err != nil {
			return
		}
		defer client.Close()
		upstream, err := net.Dial("tcp", server.Host)
		if err != nil {
			return
		}
		defer upstream.Close()
		go func() { _, _ = io.Copy(client, &limited{upstream, l, client}) }()
		_, _ = io.Copy(upstream, client)
	}()
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		<-ended
	})

	return l
}

type limited struct {
	io.Reader
	line   *line
	client io.Closer
}

func (r *limited) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p[:min(len(p), 512)])
	switch {
	case r.line.left.Add(int64(-n)) > 0:
		return n, err
	case r.line.cut.Load():
		return 0, r.client.Close()
	}
	_, err = io.Copy(io.Discard, r.Reader)

	return 0, err
}
