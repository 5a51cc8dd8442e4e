package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/umemtest"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

func startCluster(t *testing.T, g wire.Generation) (*umemtest.Cluster, *user) {
	t.Helper()
	servers := umemtest.StartCluster(t, umemtest.Options{Generation: g}, 4)
	k, err := wire.NewCluster(servers.Addresses()[3], optionsOf(g))
	require.NoError(t, err)
	t.Cleanup(k.Close)

	return servers, newClient(t, k)
}

func wireKey(g wire.Generation, version uint64, key string) string {
	prefix := make([]byte, 8)
	orderOf(g).PutUint64(prefix, version)

	return string(prefix) + key
}

func TestCluster(t *testing.T) {
	for g := wire.G1; g <= wire.G3; g++ {
		t.Run(g.String(), func(t *testing.T) {
			servers, c := startCluster(t, g)
			require.NoError(t, c.Connect(t.Context()))
			for _, s := range servers.Servers {
				require.Equal(t, 4, s.Connections())
			}
			for i := range 40 {
				key := fmt.Sprintf("key %d", i)
				c.requireNone(key)
				value, found, err := c.getOrSet(key, with("value"))
				require.NoError(t, err)
				require.False(t, found)
				require.Equal(t, "value", value)
				c.set(key, "of "+key)
				c.requireValue(key, "of "+key)

				h1, h2 := wire.Hash([]byte(key))
				member, thread := g.Place(h1, h2, 4, 4)
				kept := wireKey(g, uint64(member+1), key)
				stored, _ := servers.Servers[member].Value(kept)
				require.Equal(t, "of "+key, stored)
				require.Equal(t, thread, servers.Servers[member].ThreadOf(kept))
				require.NoError(t, c.Del(t.Context(), []byte(key)))
				c.requireNone(key)
			}
			long := bytes.Repeat([]byte("k"), 247)
			require.NoError(t, c.Set(t.Context(), long, nil))
			require.EqualError(t, requireKind(t, wire.KindUsage, c.Set(t.Context(), append(long, 'k'), nil)),
				"a key of 248 bytes is too long: at most 247 are allowed")
			for _, s := range servers.Servers {
				require.Empty(t, s.Violations())
			}
		})
	}
}

func TestClusterThatChanges(t *testing.T) {
	for g := wire.G1; g <= wire.G3; g++ {
		t.Run(g.String(), func(t *testing.T) {
			servers, c := startCluster(t, g)
			c.set("key", "value")
			servers.Renew()
			c.requireValue("key", "value")
			servers.SetLeader(2)
			c.requireValue("key", "value")

			servers.Remove(t, 1)
			for i := range 40 {
				key := fmt.Sprintf("key %d", i)
				c.set(key, "value")
				h1, h2 := wire.Hash([]byte(key))
				if member, _ := g.Place(h1, h2, 4, 4); member == 1 {
					require.Eventually(t, func() bool {
						_, found := servers.Servers[2].Value(wireKey(g, 2, key))

						return found
					}, 10*time.Second, time.Millisecond, "nothing acknowledges a fill")
				}
			}

			calls := 0
			value, _, err := c.getOrSet("made once", func() ([]byte, error) {
				calls++
				servers.SetLeader(0) // breaks all connections

				return []byte("x"), nil
			})
			require.Equal(t, 1, calls)
			if err != nil {
				requireKind(t, wire.KindLockLost, err)
			} else {
				require.Equal(t, "x", value)
			}
		})
	}
}

type heldConn struct {
	net.Conn

	wrote bool
	let   <-chan struct{}
}

func (c *heldConn) Write(p []byte) (int, error) {
	if c.wrote {
		go func() {
			<-c.let
			_, _ = c.Conn.Write(p)
		}()

		return len(p), nil
	}
	const authority = 9
	if p[0] != authority {
		return c.Conn.Write(p)
	}
	c.wrote = true

	return c.Conn.Write(p)
}

func TestClusterThatChangesAfterAFill(t *testing.T) {
	for g := wire.G1; g <= wire.G3; g++ {
		servers := umemtest.StartCluster(t, umemtest.Options{Generation: g}, 4)
		let := make(chan struct{})
		o := optionsOf(g)
		o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)

			return &heldConn{Conn: conn, let: let}, err
		}
		k, err := wire.NewCluster(servers.Addresses()[3], o)
		require.NoError(t, err)
		t.Cleanup(k.Close)
		c := newClient(t, k)
		calls := 0
		value, found, err := c.getOrSet("key", func() ([]byte, error) {
			calls++
			servers.Renew()
			close(let)

			return []byte("value"), nil
		})
		require.NoError(t, err)
		require.Equal(t, "value", value)
		require.Equal(t, 1, calls)
		require.False(t, found)
		value, found, err = c.getOrSet("key", with("other"))
		require.NoError(t, err)
		require.Equal(t, "value", value)
		require.True(t, found)
	}
}

func TestClusterThatChangesBeforeConnect(t *testing.T) {
	servers, c := startCluster(t, wire.G3)
	require.NoError(t, c.Del(t.Context(), []byte(keysOf(wire.G3, 3, 1)[0])))
	servers.SetLeader(2)
	servers.Remove(t, 1)
	require.NoError(t, c.Connect(t.Context()))
	for _, i := range []int{0, 2} {
		require.Equal(t, 4, servers.Servers[i].Connections())
	}
}

func keysOf(g wire.Generation, member, n int) (keys []string) {
	for i := 0; len(keys) < n; i++ {
		key := fmt.Sprintf("key %d", i)
		h1, h2 := wire.Hash([]byte(key))
		if m, thread := g.Place(h1, h2, 4, 4); m == member && thread == 0 {
			keys = append(keys, key)
		}
	}

	return keys
}

func TestClusterChangesForWaitingClients(t *testing.T) {
	g := wire.G3
	servers := umemtest.StartCluster(t, umemtest.Options{}, 4)
	o := optionsOf(g)
	o.ConnectionsPerThread = 1
	k, err := wire.NewCluster(servers.Addresses()[3], o)
	require.NoError(t, err)
	t.Cleanup(k.Close)

	keys := keysOf(g, 1, 2)
	making, made := make(chan struct{}), make(chan struct{})
	filled := make(chan error, 1)
	go func() {
		_, _, err := newClient(t, k).getOrSet(keys[0], func() ([]byte, error) {
			close(making)
			<-made

			return []byte("value"), nil
		})
		filled <- err
	}()
	<-making
	waited := make(chan error, 1)
	go func() { waited <- newClient(t, k).Del(t.Context(), []byte(keys[1])) }()
	awaitWaiting(t)

	servers.Remove(t, 1)
	require.NoError(t, newClient(t, k).Del(t.Context(), []byte(keysOf(g, 2, 1)[0])), "which learns that")
	require.NoError(t, <-waited, "while the machine's only connection to the thread is in use")
	close(made)
	if err := <-filled; err != nil {
		requireKind(t, wire.KindLockLost, err)
	}
}

type mutedConn struct {
	net.Conn

	address string
	muted   atomic.Bool
	silence net.Conn
}

func (c *mutedConn) Write(p []byte) (int, error) {
	if c.muted.Load() {
		return len(p), nil
	}

	return c.Conn.Write(p)
}

func (c *mutedConn) Read(p []byte) (int, error) {
	if c.muted.Load() {
		return c.silence.Read(p)
	}

	return c.Conn.Read(p)
}

func (c *mutedConn) SetDeadline(at time.Time) error {
	return errors.Join(c.Conn.SetDeadline(at), c.silence.SetDeadline(at))
}

func (c *mutedConn) Close() error { return errors.Join(c.Conn.Close(), c.silence.Close()) }

type mutable struct {
	mu      sync.Mutex
	dialled []*mutedConn
}

func (m *mutable) dial(ctx context.Context, network, address string) (net.Conn, error) {
	socket, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	silence, _ := net.Pipe()
	m.mu.Lock()
	defer m.mu.Unlock()
	c := &mutedConn{Conn: socket, address: address, silence: silence}
	m.dialled = append(m.dialled, c)

	return c, nil
}

func (m *mutable) mute(address string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.dialled {
		if c.address == address {
			c.muted.Store(true)
		}
	}
}

func TestSilentCluster(t *testing.T) {
	servers := umemtest.StartCluster(t, umemtest.Options{}, 4)
	nodes := servers.Addresses()
	var network mutable
	o := optionsOf(wire.G3)
	o.Dial = network.dial
	k, err := wire.NewCluster(nodes[3], o)
	require.NoError(t, err)
	t.Cleanup(k.Close)
	c := wire.NewClient(k, time.Second)
	t.Cleanup(c.Close)

	key := []byte(keysOf(wire.G3, 1, 1)[0])
	require.NoError(t, c.Del(t.Context(), key))
	network.mute(nodes[0])
	e := requireKind(t, wire.KindTimeout, c.Del(t.Context(), key))
	require.EqualError(t, e, "no answer in time: the cluster's leader approves nothing")
	require.NoError(t, c.Del(t.Context(), key))

	for range 3 {
		require.NoError(t, c.Connect(t.Context()))
	}
	network.mute(nodes[1])
	servers.Remove(t, 1)
	e = requireKind(t, wire.KindTimeout, c.Del(t.Context(), key))
	require.EqualError(t, e, "no answer in time: the answer to a del")
	require.NoError(t, c.Del(t.Context(), key))
}

func TestClusterWithoutLeader(t *testing.T) {
	servers, c := startCluster(t, wire.G3)
	c.set("key", "value")
	servers.SetLeader(-1)
	k, err := wire.NewCluster(servers.Addresses()[0], optionsOf(wire.G3))
	require.NoError(t, err)
	defer k.Close()
	hasty := wire.NewClient(k, 250*time.Millisecond)
	defer hasty.Close()
	e := requireKind(t, wire.KindCluster, hasty.Del(t.Context(), []byte("key")))
	require.EqualError(t, e, "the cluster does not settle in time: the cluster has lost its leader")

	ended := make(chan error, 1)
	go func() { ended <- c.Del(t.Context(), []byte("key")) }()
	servers.SetLeader(3)
	require.NoError(t, <-ended)
}

func TestNoCluster(t *testing.T) {
	servers := umemtest.StartCluster(t, umemtest.Options{}, 4)
	servers.Dissolve()
	k, err := wire.NewCluster(servers.Addresses()[0], optionsOf(wire.G3))
	require.NoError(t, err)
	defer k.Close()
	hasty := wire.NewClient(k, 50*time.Millisecond)
	defer hasty.Close()
	requireKind(t, wire.KindCluster, hasty.Connect(t.Context()))

	ctx, cancel := context.WithCancel(t.Context())
	c := newClient(t, k)
	ended := make(chan error, 1)
	go func() { _, _, err := c.Get(ctx, nil, nil); ended <- err }()
	cancel()
	requireKind(t, wire.KindCancelled, <-ended)
	k.Close()
	requireKind(t, wire.KindUsage, c.Connect(t.Context()))
}

func TestClusterLeavesNothing(t *testing.T) {
	servers := umemtest.StartCluster(t, umemtest.Options{}, 4)
	k, err := wire.NewCluster(servers.Addresses()[0], optionsOf(wire.G3))
	require.NoError(t, err)
	c := wire.NewClient(k, 10*time.Second)
	require.NoError(t, c.Connect(t.Context()))
	servers.Renew()
	require.NoError(t, c.Del(t.Context(), nil))
	c.Close()
	k.Close()
	for _, s := range servers.Servers {
		require.Eventually(t, func() bool { return s.Connections() == 0 }, 10*time.Second, time.Millisecond)
	}
	requireNoGoroutines(t)
}

func FuzzReadLeader(f *testing.F) {
	f.Add(append(netip.IPv6Loopback().AsSlice(), 0x27, 0x40, 0, 0))
	f.Add(append(netip.IPv6Loopback().AsSlice(), 0x27, 0x40, 1, 0))
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, answer []byte) {
		leader, err := wire.ReadLeader(bytes.NewReader(answer))
		switch {
		case len(answer) < 20:
			requireKind(t, wire.KindConnection, err)
		case answer[18] != 0:
			requireKind(t, wire.KindCluster, err)
		default:
			require.NoError(t, err)
			require.Equal(t, uint16(answer[16])<<8|uint16(answer[17]), leader.Port())
			require.Equal(t, answer[:16], leader.Addr().AsSlice())
		}
	})
}

func FuzzReadState(f *testing.F) {
	for g := wire.G1; g <= wire.G3; g++ {
		for _, machines := range []int{0, 1, 3, 4} {
			answer := make([]byte, 24+40*machines)
			orderOf(g).PutUint64(answer[8:], uint64(40*machines))
			orderOf(g).PutUint64(answer[16:], 7)
			f.Add(int(g), answer)
		}
		f.Add(int(g), bytes.Repeat([]byte{255}, 64))
	}
	f.Fuzz(func(t *testing.T, generation int, answer []byte) {
		g := wire.Generation(generation)
		if g < wire.G1 || g > wire.G3 {
			return
		}
		state, err := wire.ReadState(bytes.NewReader(answer), g)
		if err != nil {
			require.Nil(t, state)
			var e *wire.Error
			require.ErrorAs(t, err, &e)
			require.Contains(t, []wire.Kind{wire.KindConnection, wire.KindCluster, wire.KindProtocol}, e.Kind)

			return
		}
		n := len(state.Machines)
		require.Positive(t, n)
		require.Zero(t, n&(n-1))
		require.GreaterOrEqual(t, len(answer), 24+40*n)
		require.Equal(t, orderOf(g).Uint64(answer[16:]), state.Version)
		for i, m := range state.Machines {
			record := answer[24+40*i:]
			require.Equal(t, record[:16], m.Address.Addr().AsSlice())
			require.Equal(t, orderOf(g).Uint32(record[20:]), m.ID)
			require.Equal(t, orderOf(g).Uint64(record[24:])%2 == 1, m.Available())
			require.Equal(t, orderOf(g).Uint64(record[32:]), m.Version)
		}
	})
}

func FuzzReadApproval(f *testing.F) {
	f.Add(3, make([]byte, 16))
	f.Add(1, []byte{1})
	f.Fuzz(func(t *testing.T, generation int, answer []byte) {
		g := wire.Generation(generation)
		version, count, err := wire.ReadApproval(bytes.NewReader(answer), g)
		if len(answer) < 16 {
			requireKind(t, wire.KindConnection, err)

			return
		}
		require.NoError(t, err)
		require.Equal(t, orderOf(g).Uint64(answer), version)
		require.Equal(t, orderOf(g).Uint64(answer[8:]), count)
	})
}
