//go:build servers

package wire_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

func TestPipelineOfMixedCommands(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := dial(t, wire.Config{Address: testutil.MemcachedAddr(t), Protocol: protocol})
			k, n := newKey(), newKey()
			requests := []wire.Request{
				{Verb: wire.Set, Key: k, Value: b("v\r\n"), Flags: 3},
				{Verb: wire.Get, Key: k},
				{Verb: wire.Get, Key: append(newKey(), strings.Repeat("x", 250)...)},
				{Verb: wire.Get, Key: newKey()},
				{Verb: wire.Increment, Key: k, Delta: 1},
				{Verb: wire.Set, Key: n, Value: b("1")},
				{Verb: wire.Increment, Key: n, Delta: 41},
				{Verb: wire.Version},
				{Verb: wire.MetaGet, Key: k, Meta: b("f")},
				{Verb: wire.Delete, Key: k},
				{Verb: wire.Set, Key: newKey(), Value: make([]byte, 3<<20)},
				{Verb: wire.Delete, Key: k},
				{},
			}
			replies := make([]wire.Reply, len(requests))
			for range 2 {
				require.NoError(t, c.Pipeline(requests, replies))
				for i, want := range []wire.Status{
					wire.OK, wire.OK, 0, wire.NotFound, 0, wire.OK, wire.OK, wire.OK, wire.OK, wire.OK, 0, wire.NotFound, 0,
				} {
					require.Equal(t, want, replies[i].Status, "reply %d: %v", i, replies[i].Err)
					require.Equal(t, want == 0, replies[i].Err != nil, "reply %d", i)
				}
				require.Equal(t, "v\r\n", string(replies[1].Value))
				require.Equal(t, uint32(3), replies[1].Flags)
				requireKind(t, wire.KindUsage, replies[2].Err)
				requireKind(t, wire.KindInvalid, replies[4].Err)
				require.Equal(t, uint64(42), replies[6].Number)
				require.Equal(t, "f3", string(replies[8].Meta))
				requireKind(t, wire.KindTooLarge, replies[10].Err)
				requireKind(t, wire.KindUsage, replies[12].Err)
			}
			require.NoError(t, c.Pipeline(nil, nil))
			requireKind(t, wire.KindUsage, c.Pipeline(requests, replies[:1]))
		})
	}
}

func TestPipelineThatNoBufferHolds(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := dial(t, wire.Config{Address: testutil.MemcachedAddr(t), Protocol: protocol})
			k, value := newKey(), bytes.Repeat([]byte("0123456789"), 90_000)
			do(t, c, wire.Request{Verb: wire.Set, Key: k, Value: value})
			requests := make([]wire.Request, 60)
			for i := range requests {
				requests[i] = wire.Request{Verb: wire.Get, Key: k}
				if i%3 == 2 {
					requests[i] = wire.Request{Verb: wire.Set, Key: k, Value: value}
				}
			}
			replies := make([]wire.Reply, len(requests))
			require.NoError(t, c.Pipeline(requests, replies))
			for i := range replies {
				require.Equal(t, wire.OK, replies[i].Status)
				require.True(t, i%3 == 2 || bytes.Equal(value, replies[i].Value))
			}
		})
	}
}

func TestGetMulti(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := dial(t, wire.Config{Address: testutil.MemcachedAddr(t), Protocol: protocol})
			var many [][]byte
			prefix := strings.Repeat("long", 50)
			for i := range 1000 { // enough for several parts
				k := fmt.Appendf(newKey(), "%s%d", prefix, i)
				many = append(many, k)
				if i%3 == 0 {
					do(t, c, wire.Request{Verb: wire.Set, Key: k, Value: k, Flags: uint32(i)})
				}
			}
			many[500] = nil
			many[10] = many[9] // one key occurs twice
			replies := make([]wire.Reply, len(many))
			for range 2 {
				require.NoError(t, c.GetMulti(many, replies))
				for i := range many {
					switch {
					case i == 500:
						requireKind(t, wire.KindUsage, replies[i].Err)
					case i%3 == 0 || i == 10:
						require.Equal(t, string(many[i]), string(replies[i].Value))
						require.Equal(t, uint32(i/3*3), replies[i].Flags)
					default:
						require.Equal(t, wire.NotFound, replies[i].Status)
						require.NoError(t, replies[i].Err)
					}
				}
			}
			require.NoError(t, c.GetMulti(nil, nil))
			require.NoError(t, c.GetMulti([][]byte{nil}, replies[:1]))
			requireKind(t, wire.KindUsage, c.GetMulti(many, replies[:1]))
		})
	}
}

func TestGetMultiOutOfStep(t *testing.T) {
	for _, test := range []struct{ answer, kind string }{
		{"VALUE b 0 1\r\nx\r\nVALUE a 0 1\r\nx\r\nEND\r\n", wire.KindProtocol},
		{"VALUE c 0 1\r\nx\r\nEND\r\n", wire.KindProtocol},
		{"VALUE a 0 1\r\nx\r\nVALUE b 0 1\r\nx\r\nVALUE b 0 1\r\nx\r\nEND\r\n", wire.KindProtocol},
		{"STORED\r\n", wire.KindProtocol},
		{"VALUE a 0 1\r\nx\r\n", wire.KindConnection},
		{"VALUE a 0 1\r\nx\r\nSERVER_ERROR out of memory writing get response\r\n", wire.KindFull},
	} {
		c, _ := answers(t, wire.Text, test.answer, 0)
		replies := make([]wire.Reply, 2)
		requireKind(t, test.kind, c.GetMulti([][]byte{b("a"), b("b")}, replies))
		for i := range replies {
			require.True(t, replies[i].Status != 0 || replies[i].Err != nil)
		}
		require.True(t, c.Broken())
	}
}

func TestPipelineThatBreaks(t *testing.T) {
	c, _ := answers(t, wire.Meta, "VA 1 f0 O1\r\nx\r\nEN O3\r\nEN O4\r\n", 0)
	requests := []wire.Request{
		{Verb: wire.Get, Key: b("a")}, {Verb: wire.Get, Key: b("b")}, {Verb: wire.Get}, {Verb: wire.Get, Key: b("d")},
	}
	replies := make([]wire.Reply, len(requests))
	err := c.Pipeline(requests, replies)
	requireKind(t, wire.KindProtocol, err)
	require.Equal(t, wire.OK, replies[0].Status)
	require.NoError(t, replies[0].Err)
	require.Equal(t, err, replies[1].Err)
	requireKind(t, wire.KindUsage, replies[2].Err)
	require.Equal(t, err, replies[3].Err)
	require.Zero(t, replies[3].Status)
}
