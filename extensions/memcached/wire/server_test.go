//go:build servers

package wire_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

func TestEveryVerb(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := dial(t, wire.Config{Address: testutil.MemcachedAddr(t), Protocol: protocol})
			k := newKey()
			require.Equal(t, wire.NotFound, do(t, c, wire.Request{Verb: wire.Get, Key: k}).Status)
			require.Equal(t, wire.NotStored, do(t, c, wire.Request{Verb: wire.Replace, Key: k, Value: b("x")}).Status)
			require.Equal(t, wire.NotStored, do(t, c, wire.Request{Verb: wire.Append, Key: k, Value: b("x")}).Status)
			require.Equal(t, wire.NotStored, do(t, c, wire.Request{Verb: wire.Prepend, Key: k, Value: b("x")}).Status)
			require.Equal(t, wire.NotFound, do(t, c, wire.Request{Verb: wire.CompareAndSwap, Key: k, Value: b("x"), CAS: 1}).Status)
			require.Equal(t, wire.NotFound, do(t, c, wire.Request{Verb: wire.Touch, Key: k, Expire: 10}).Status)
			require.Equal(t, wire.NotFound, do(t, c, wire.Request{Verb: wire.Gat, Key: k, Expire: 10}).Status)
			require.Equal(t, wire.NotFound, do(t, c, wire.Request{Verb: wire.Delete, Key: k}).Status)
			require.Equal(t, wire.NotFound, do(t, c, wire.Request{Verb: wire.Increment, Key: k, Delta: 1}).Status)

			require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Add, Key: k, Value: b("b"), Flags: 5}).Status)
			require.Equal(t, wire.NotStored, do(t, c, wire.Request{Verb: wire.Add, Key: k, Value: b("x")}).Status)
			require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Append, Key: k, Value: b("c")}).Status)
			require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Prepend, Key: k, Value: b("a")}).Status)
			got := do(t, c, wire.Request{Verb: wire.Gets, Key: k})
			require.Equal(t, "abc", string(got.Value))
			require.Equal(t, uint32(5), got.Flags)
			require.NotZero(t, got.CAS)

			require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.CompareAndSwap, Key: k, Value: b("d"), CAS: got.CAS}).Status)
			require.Equal(t, wire.Exists, do(t, c, wire.Request{Verb: wire.CompareAndSwap, Key: k, Value: b("e"), CAS: got.CAS}).Status)
			require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Replace, Key: k, Value: b("10")}).Status)
			require.Equal(t, uint64(12), do(t, c, wire.Request{Verb: wire.Increment, Key: k, Delta: 2}).Number)
			require.Equal(t, uint64(0), do(t, c, wire.Request{Verb: wire.Decrement, Key: k, Delta: 100}).Number)

			ttl := func() string { return string(do(t, c, wire.Request{Verb: wire.MetaGet, Key: k, Meta: b("t")}).Meta) }
			require.Equal(t, "t-1", ttl())
			require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Touch, Key: k, Expire: 1000}).Status)
			require.Regexp(t, `^t(1000|999)$`, ttl())
			require.Equal(t, "0 ", string(do(t, c, wire.Request{Verb: wire.Gat, Key: k, Expire: 500}).Value))
			require.Regexp(t, `^t(500|499)$`, ttl())
			require.NotZero(t, do(t, c, wire.Request{Verb: wire.Gats, Key: k}).CAS)
			require.Equal(t, "t-1", ttl())
			require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Set, Key: k, Expire: 100}).Status)
			require.Regexp(t, `^t(100|99)$`, ttl())

			require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Delete, Key: k}).Status)
			require.Equal(t, wire.NotFound, do(t, c, wire.Request{Verb: wire.Gets, Key: k}).Status)
			require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Set, Key: k, Value: b("x"), Expire: -1}).Status)
			require.Equal(t, wire.NotFound, do(t, c, wire.Request{Verb: wire.Get, Key: k}).Status)

			require.Regexp(t, `^1\.`, string(do(t, c, wire.Request{Verb: wire.Version}).Value))
			require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Noop}).Status)

			do(t, c, wire.Request{Verb: wire.Set, Key: k, Value: b("ten")})
			err := c.Do(&wire.Request{Verb: wire.Increment, Key: k, Delta: 1}, &wire.Reply{})
			require.Contains(t, requireKind(t, wire.KindInvalid, err).Message, "non-numeric value")
			require.False(t, c.Broken())
		})
	}
}

func TestMetaVerbs(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := dial(t, wire.Config{Address: testutil.MemcachedAddr(t), Protocol: protocol})
			for _, k := range [][]byte{newKey(), append(newKey(), " \x00\r\n"...), bytes.Repeat([]byte{0xff, 0}, 93)} {
				got := do(t, c, wire.Request{Verb: wire.MetaSet, Key: k, Value: b("7"), Meta: b("T60 F9 c")})
				require.Equal(t, wire.OK, got.Status)
				require.Regexp(t, `^c\d+( b)?$`, string(got.Meta))
				got = do(t, c, wire.Request{Verb: wire.MetaGet, Key: k, Meta: b("v f s Oabc")})
				require.Equal(t, "7", string(got.Value))
				require.Regexp(t, `^(b )?f9 s1 Oabc( b)?$`, string(got.Meta))
				got = do(t, c, wire.Request{Verb: wire.MetaArithmetic, Key: k, Meta: b("v D3")})
				require.Equal(t, "10", string(got.Value))
				require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.MetaDelete, Key: k}).Status)
				require.Equal(t, wire.NotFound, do(t, c, wire.Request{Verb: wire.MetaGet, Key: k, Meta: b("v")}).Status)
				require.Equal(t, wire.NotStored, do(t, c, wire.Request{Verb: wire.MetaSet, Key: k, Value: b("7"), Meta: b("MR")}).Status)
			}
			err := c.Do(&wire.Request{Verb: wire.MetaGet, Key: newKey(), Meta: b("v v")}, &wire.Reply{})
			require.Contains(t, requireKind(t, wire.KindInvalid, err).Message, "duplicate flag")
			require.False(t, c.Broken())
		})
	}
}

func TestValuesComeBackByteForByte(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := dial(t, wire.Config{Address: testutil.MemcachedAddr(t), Protocol: protocol})
			var a wire.Reply
			for name, value := range values() {
				k := newKey()
				require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Set, Key: k, Value: value, Flags: 1<<32 - 1}).Status)
				require.NoError(t, c.Do(&wire.Request{Verb: wire.Get, Key: k}, &a))
				require.True(t, bytes.Equal(value, a.Value), name)
				require.Equal(t, uint32(1<<32-1), a.Flags)
			}
		})
	}
}

func TestKeysOfAllSizes(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := dial(t, wire.Config{Address: testutil.MemcachedAddr(t), Protocol: protocol})
			for _, n := range []int{1, 2, 249, 250} {
				k := bytes.Repeat([]byte("ж"), n)[:n]
				require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Set, Key: k, Value: k}).Status)
				require.Equal(t, string(k), string(do(t, c, wire.Request{Verb: wire.Get, Key: k}).Value))
			}
		})
	}
	c := dial(t, wire.Config{Address: testutil.MemcachedAddr(t), Protocol: wire.Meta})
	for _, k := range [][]byte{b(" "), b("\x00"), b("a\r\nb"), bytes.Repeat(b(" "), 186)} {
		require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Set, Key: k, Value: k}).Status)
		require.Equal(t, string(k), string(do(t, c, wire.Request{Verb: wire.Get, Key: k}).Value))
		require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Delete, Key: k}).Status)
	}
}

func TestAgainstGomemcache(t *testing.T) {
	other := memcache.New(testutil.MemcachedAddr(t))
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := dial(t, wire.Config{Address: testutil.MemcachedAddr(t), Protocol: protocol})
			for name, value := range values() {
				ours, theirs := newKey(), newKey()
				do(t, c, wire.Request{Verb: wire.Set, Key: ours, Value: value, Flags: 77})
				item, err := other.Get(string(ours))
				require.NoError(t, err)
				require.True(t, bytes.Equal(value, item.Value), name)
				require.Equal(t, uint32(77), item.Flags)

				require.NoError(t, other.Set(&memcache.Item{Key: string(theirs), Value: value, Flags: 78}))
				got := do(t, c, wire.Request{Verb: wire.Gets, Key: theirs})
				require.True(t, bytes.Equal(value, got.Value), name)
				require.Equal(t, uint32(78), got.Flags)
				item, err = other.Get(string(theirs))
				require.NoError(t, err)
				require.Equal(t, item.CasID, got.CAS)
			}
			counter := newKey()
			do(t, c, wire.Request{Verb: wire.Add, Key: counter, Value: b("41")})
			n, err := other.Increment(string(counter), 1)
			require.NoError(t, err)
			require.Equal(t, uint64(42), n)
			require.NoError(t, other.Delete(string(counter)))
			require.Equal(t, wire.NotFound, do(t, c, wire.Request{Verb: wire.Get, Key: counter}).Status)
		})
	}
}

func TestTooLarge(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := dial(t, wire.Config{Address: testutil.MemcachedAddr(t), Protocol: protocol})
			k := newKey()
			large := bytes.Repeat([]byte("get x\r\n"), 1_000_000)
			do(t, c, wire.Request{Verb: wire.Set, Key: k, Value: b("small")})
			for range 2 {
				requireKind(t, wire.KindTooLarge, c.Do(&wire.Request{Verb: wire.Set, Key: k, Value: large}, &wire.Reply{}))
				require.False(t, c.Broken())
			}
			require.Equal(t, wire.NotFound, do(t, c, wire.Request{Verb: wire.Get, Key: k}).Status, "memcached drops what it could not replace")
		})
	}
}

func TestOutOfMemory(t *testing.T) {
	server := testutil.StartMemcached(t, "-M", "-m", "1", "-I", "512k")
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := dial(t, wire.Config{Address: server.Addr, Protocol: protocol})
			value := make([]byte, 200_000)
			var err error
			for i := 0; err == nil; i++ {
				require.Less(t, i, 10_000)
				err = c.Do(&wire.Request{Verb: wire.Set, Key: fmt.Appendf(nil, "%s-%d", name, i), Value: value}, &wire.Reply{})
			}
			requireKind(t, wire.KindFull, err)
			require.False(t, c.Broken())
			do(t, c, wire.Request{Verb: wire.Flush})
			do(t, c, wire.Request{Verb: wire.Version})
		})
	}
}

func TestFlush(t *testing.T) {
	c := dial(t, wire.Config{Address: testutil.StartMemcached(t).Addr})
	k := newKey()
	do(t, c, wire.Request{Verb: wire.Set, Key: k, Value: b("x")})
	do(t, c, wire.Request{Verb: wire.Flush, Expire: 1000})
	require.Equal(t, wire.OK, do(t, c, wire.Request{Verb: wire.Get, Key: k}).Status)
	do(t, c, wire.Request{Verb: wire.Flush})
	require.Equal(t, wire.NotFound, do(t, c, wire.Request{Verb: wire.Get, Key: k}).Status)
}

func TestStats(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := dial(t, wire.Config{Address: testutil.MemcachedAddr(t), Protocol: protocol})
			stats, err := c.Stats("")
			require.NoError(t, err)
			require.Equal(t, "pid", stats[0].Name)
			_, err = strconv.Atoi(stats[0].Value)
			require.NoError(t, err)
			stats, err = c.Stats("settings")
			require.NoError(t, err)
			require.Contains(t, stats, wire.Stat{Name: "domain_socket", Value: "NULL"})
			_, err = c.Stats("nosuch")
			requireKind(t, wire.KindInvalid, err)
			_, err = c.Stats("items\r\nflush_all")
			requireKind(t, wire.KindUsage, err)
			do(t, c, wire.Request{Verb: wire.Noop})
		})
	}
	for answer, kind := range map[string]string{
		"STORED\r\n": wire.KindProtocol, "STAT a 1\r\n": wire.KindConnection, "SERVER_ERROR x\r\n": wire.KindServer,
	} {
		c, _ := answers(t, wire.Text, answer, 0)
		_, err := c.Stats("")
		requireKind(t, kind, err)
	}
	c, sent := answers(t, wire.Text, "STAT a b c\r\nSTAT d \r\nEND\r\n", 0)
	stats, err := c.Stats("items")
	require.NoError(t, err)
	require.Equal(t, []wire.Stat{{Name: "a", Value: "b c"}, {Name: "d"}}, stats)
	require.Equal(t, "stats items\r\n", sent.String())
}

func TestUnixSocket(t *testing.T) {
	server := testutil.StartMemcachedAtSocket(t, filepath.Join(t.TempDir(), "s"))
	c := dial(t, wire.Config{Address: server.Addr})
	do(t, c, wire.Request{Verb: wire.Set, Key: b("k"), Value: b("v")})
	require.Equal(t, "v", string(do(t, c, wire.Request{Verb: wire.Get, Key: b("k")}).Value))
	_, err := wire.Dial(context.Background(), &wire.Config{Address: server.Addr + "-not"})
	require.Equal(t, "cannot connect to "+server.Addr+"-not: there is no such socket", requireKind(t, wire.KindConnect, err).Message)
}

func TestUserAndPassword(t *testing.T) {
	file := filepath.Join(t.TempDir(), "users")
	require.NoError(t, os.WriteFile(file, []byte("ann:opensesame\n"), 0o600))
	server := testutil.StartMemcached(t, "-Y", file)
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			c := dial(t, wire.Config{Address: server.Addr, Protocol: protocol, User: "ann", Password: "opensesame"})
			do(t, c, wire.Request{Verb: wire.Set, Key: b("k"), Value: b("v")})
			require.Equal(t, "v", string(do(t, c, wire.Request{Verb: wire.Get, Key: b("k")}).Value))

			_, err := wire.Dial(context.Background(), &wire.Config{Address: server.Addr, Protocol: protocol, User: "ann", Password: "s3cret"})
			require.Equal(t, "the server does not accept user and password", requireKind(t, wire.KindAuth, err).Message)

			c = dial(t, wire.Config{Address: server.Addr, Protocol: protocol})
			requireKind(t, wire.KindAuth, c.Do(&wire.Request{Verb: wire.Get, Key: b("k")}, &wire.Reply{}))
		})
	}
}

func TestUnneededUserAndPassword(t *testing.T) {
	c := dial(t, wire.Config{Address: testutil.MemcachedAddr(t), User: "ann", Password: "s3cret"})
	require.Equal(t, wire.NotFound, do(t, c, wire.Request{Verb: wire.Get, Key: b("auth")}).Status)
}

func TestTLS(t *testing.T) {
	server, certificate := testutil.StartMemcachedTLS(t)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(certificate))
	secure := &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", MinVersion: tls.VersionTLS12}
	c := dial(t, wire.Config{Address: server.Addr, TLS: secure})
	for name, value := range values() {
		k := newKey()
		do(t, c, wire.Request{Verb: wire.Set, Key: k, Value: value})
		require.True(t, bytes.Equal(value, do(t, c, wire.Request{Verb: wire.Get, Key: k}).Value), name)
	}
	_, err := wire.Dial(context.Background(), &wire.Config{Address: server.Addr, TLS: &tls.Config{ServerName: "127.0.0.1"}})
	require.Contains(t, requireKind(t, wire.KindConnect, err).Message, "certificate signed by unknown authority")

	_, err = wire.Dial(context.Background(), &wire.Config{Address: testutil.MemcachedAddr(t), TLS: secure, ConnectTimeout: 200 * time.Millisecond})
	requireKind(t, wire.KindConnect, err)
	_, err = wire.Dial(context.Background(), &wire.Config{
		Address: testutil.SilentServer(t), TLS: secure, ConnectTimeout: 50 * time.Millisecond,
	})
	require.Contains(t, requireKind(t, wire.KindConnect, err).Message, "no answer within connectTimeout (50ms)")
}
