//go:build servers

package wire_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

func requireNoAllocation(t *testing.T, what string, operation func() error) {
	t.Helper()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if err := operation(); err != nil {
			panic(err)
		}
	}), what)
}

func TestNothingIsAllocated(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := dial(t, wire.Config{Address: testutil.MemcachedAddr(t), Protocol: protocol})
			k, n, value := newKey(), newKey(), make([]byte, 100_000)
			do(t, c, wire.Request{Verb: wire.Set, Key: n, Value: b("1")})
			var a wire.Reply
			for _, q := range []wire.Request{
				{Verb: wire.Set, Key: k, Value: value, Flags: 7, Expire: 1000},
				{Verb: wire.Get, Key: k},
				{Verb: wire.Gets, Key: k},
				{Verb: wire.Get, Key: b("missing")},
				{Verb: wire.Gat, Key: k, Expire: 1000},
				{Verb: wire.Touch, Key: k, Expire: 1000},
				{Verb: wire.Add, Key: k, Value: value},
				{Verb: wire.Increment, Key: n, Delta: 1},
				{Verb: wire.Delete, Key: b("missing")},
				{Verb: wire.Noop},
				{Verb: wire.MetaGet, Key: k, Meta: b("v f t")},
			} {
				requireNoAllocation(t, fmt.Sprintf("verb %d", q.Verb), func() error { return c.Do(&q, &a) })
			}

			requests := []wire.Request{
				{Verb: wire.Get, Key: k}, {Verb: wire.Set, Key: k, Value: value}, {Verb: wire.Get, Key: n}, {Verb: wire.Delete, Key: b("missing")},
			}
			replies := make([]wire.Reply, len(requests))
			requireNoAllocation(t, "pipeline", func() error { return c.Pipeline(requests, replies) })

			several := [][]byte{k, n, b("missing"), n}
			requireNoAllocation(t, "several keys", func() error { return c.GetMulti(several, replies) })
		})
	}
}
