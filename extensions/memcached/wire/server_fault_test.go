//go:build servers

package wire_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

func TestServerThatStopsReading(t *testing.T) {
	server := testutil.StartMemcached(t)
	c := dial(t, wire.Config{Address: server.Addr, Timeout: 100 * time.Millisecond})
	do(t, c, getK)
	server.Stop()
	large := wire.Request{Verb: wire.Set, Key: b("k"), Value: make([]byte, 50<<20)}
	requireKind(t, wire.KindTimeout, c.Do(&large, &wire.Reply{}))
	require.True(t, c.Broken())

	server.Continue()
	c = dial(t, wire.Config{Address: server.Addr})
	do(t, c, getK)
}

func TestServerThatDies(t *testing.T) {
	server := testutil.StartMemcached(t)
	c := dial(t, wire.Config{Address: server.Addr})
	do(t, c, getK)
	server.Kill()
	requireKind(t, wire.KindConnection, c.Do(&getK, &wire.Reply{}))
	_, err := wire.Dial(context.Background(), &wire.Config{Address: server.Addr})
	require.Equal(t, "cannot connect to "+server.Addr+": connection refused; is a memcached running there?",
		requireKind(t, wire.KindConnect, err).Message)
	server.Restart()
	requireKind(t, wire.KindConnection, c.Do(&getK, &wire.Reply{}))
	do(t, dial(t, wire.Config{Address: server.Addr}), getK)
}

func TestNothingIsLeft(t *testing.T) {
	addr := testutil.MemcachedAddr(t)
	before := runtime.NumGoroutine()
	for range 20 {
		c, err := wire.Dial(context.Background(), &wire.Config{Address: addr})
		require.NoError(t, err)
		do(t, c, getK)
		require.LessOrEqual(t, runtime.NumGoroutine(), before, "a connection has no goroutine of its own")
		c.Close()
	}
}
