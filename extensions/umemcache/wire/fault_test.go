package wire_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/umemtest"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

func TestOptionsThatCannotBe(t *testing.T) {
	for _, test := range []struct {
		change func(*wire.Options)
		want   string
	}{
		{func(o *wire.Options) { o.Generation = 0 }, "generation must be from G1 to G3"},
		{func(o *wire.Options) { o.Generation = 4 }, "generation must be from G1 to G3"},
		{func(o *wire.Options) { o.Threads = 0 }, "threads must be from 1 to 1024, not 0"},
		{func(o *wire.Options) { o.Threads = 1 << 20 }, "threads must be from 1 to 1024, not 1048576"},
		{func(o *wire.Options) { o.ConnectionsPerThread = 0 }, "connectionsPerThread must be at least 1, not 0"},
		{func(o *wire.Options) { o.ConnectTimeout = 0 }, "connectTimeout must be more than 0, not 0s"},
		{func(o *wire.Options) { o.MaxValue = -1 }, "maxValue must be at least 0, not -1"},
	} {
		o := wire.Options{Settings: wire.DefaultSettings()}
		test.change(&o)
		_, err := wire.NewPool("[::1]:1", o)
		require.EqualError(t, err, test.want)
	}
}

func TestAddressesThatCannotBe(t *testing.T) {
	for address, want := range map[string]string{
		"":                `the address must look like [::1]:10047, not ""`,
		"::1":             `the address must look like [::1]:10047, not "::1"`,
		"host":            `the address must look like [::1]:10047, not "host"`,
		":10047":          `the address must look like [::1]:10047, not ":10047"`,
		"[::1]:":          `the address must look like [::1]:10047, not "[::1]:"`,
		"127.0.0.1:10047": `the address must be an IPv6 address, such as [::1]:10047, not "127.0.0.1:10047": umem-cache supports no other`,
	} {
		_, err := wire.NewPool(address, wire.Options{Settings: wire.DefaultSettings()})
		require.EqualError(t, err, want)
	}
}

func TestNoServer(t *testing.T) {
	s := umemtest.Start(t, umemtest.Options{})
	s.Close()
	c := newClient(t, newPool(t, s.Address(), optionsOf(wire.G3)))
	e := requireKind(t, wire.KindConnect, c.Del(t.Context(), nil))
	require.EqualError(t, e, "cannot connect to "+s.Address()+" over IPv6: connection refused")
	requireKind(t, wire.KindConnect, c.Connect(t.Context()))
}

func TestRefused(t *testing.T) {
	for g := wire.G1; g <= wire.G3; g++ {
		s := umemtest.Start(t, umemtest.Options{Generation: g, Threads: 2, Slots: 4})
		o := optionsOf(g)
		o.Threads = 3
		o.ConnectionsPerThread = 1
		first := newPool(t, s.Address(), o)
		e := requireKind(t, wire.KindRefused, newClient(t, first).Connect(t.Context()))
		require.Contains(t, e.Message, "it has no thread 2, or no free slot in it")

		o.Threads, o.ConnectionsPerThread = 2, 2
		second := newPool(t, s.Address(), o)
		require.NoError(t, newClient(t, second).Connect(t.Context()))
		e = requireKind(t, wire.KindBusy, newClient(t, second).Connect(t.Context()))
		require.Contains(t, e.Message, "its thread 0 has no free slot")
		first.Close()
		require.Eventually(t, func() bool { return s.Connections() == 2 }, 10*time.Second, time.Millisecond)
		require.NoError(t, newClient(t, second).Connect(t.Context()), "a place that was not used is free again")
		require.NoError(t, newClient(t, second).Connect(t.Context()), "there may be no more, and need be no more")
		require.Equal(t, 4, s.Connections())
	}
}

func TestConnectionsPerThread(t *testing.T) {
	s := umemtest.Start(t, umemtest.Options{Threads: 1})
	o := optionsOf(wire.G3)
	o.Threads, o.ConnectionsPerThread = 1, 2
	p := newPool(t, s.Address(), o)

	unlock := lock(t, s, newClient(t, p), "locked", "x")
	other := lock(t, s, newClient(t, p), "locked too", "x")
	hasty := wire.NewClient(p, 20*time.Millisecond)
	defer hasty.Close()
	e := requireKind(t, wire.KindBusy, hasty.Del(t.Context(), []byte("key")))
	require.Contains(t, e.Message, "none of the 2 connections to thread 0 became free in time")

	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if err := newClient(t, p).Set(t.Context(), []byte("key"), nil); err != nil {
				t.Error(err)
			}
		})
	}
	require.NoError(t, unlock())
	wg.Wait()
	require.NoError(t, other())
	require.Equal(t, 2, s.Accepted())
}

func TestWaitingWhenThePoolIsClosed(t *testing.T) {
	s := umemtest.Start(t, umemtest.Options{Threads: 1})
	o := optionsOf(wire.G3)
	o.Threads, o.ConnectionsPerThread = 1, 1
	p := newPool(t, s.Address(), o)
	unlock := lock(t, s, newClient(t, p), "locked", "x")

	waited := make(chan error, 1)
	go func() { waited <- newClient(t, p).Del(t.Context(), []byte("key")) }()
	awaitWaiting(t)
	p.Close()
	require.EqualError(t, requireKind(t, wire.KindUsage, <-waited), "the connections were closed")
	require.NoError(t, unlock())
	requireNoGoroutines(t)
}

func TestWaitingForAPlace(t *testing.T) {
	s := umemtest.Start(t, umemtest.Options{Threads: 1})
	o := optionsOf(wire.G3)
	o.Threads, o.ConnectionsPerThread = 1, 1
	p := newPool(t, s.Address(), o)
	unlock := lock(t, s, newClient(t, p), "locked", "x")

	waited := make(chan error, 1)
	go func() { waited <- newClient(t, p).Del(t.Context(), []byte("key")) }()
	s.Disconnect()
	if err := unlock(); err != nil {
		requireKind(t, wire.KindLockLost, err)
	}
	require.NoError(t, <-waited)
}

func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp6", "[::1]:0")
	require.NoError(t, err)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		wg.Wait()
	})

	return listener.Addr().String()
}

func answering(t *testing.T, answer []byte, stalls bool) string {
	t.Helper()

	return listen(t, func(c net.Conn) {
		buffer := make([]byte, 1000)
		if _, err := io.ReadFull(c, buffer[:8]); err != nil {
			return
		}
		if _, err := c.Write([]byte{0}); err != nil {
			return
		}
		if _, err := c.Read(buffer); err != nil {
			return
		}
		if _, err := c.Write(answer); err != nil {
			return
		}
		if stalls {
			_, _ = io.Copy(io.Discard, c)
		}
	})
}

func TestAnswersThatCannotBe(t *testing.T) {
	hit := hitOf(wire.G3, []byte("value"))
	get := func(c *user) error { _, _, err := c.Get(c.t.Context(), []byte("key"), nil); return err }
	fill := func(c *user) error { _, _, err := c.getOrSet("key", with("value")); return err }
	del := func(c *user) error { return c.Del(c.t.Context(), []byte("key")) }
	for _, test := range []struct {
		name            string
		call            func(*user) error
		answer          []byte
		closes, stalled wire.Kind
	}{
		{"nothing to a get", get, nil, wire.KindConnection, wire.KindLockWait},
		{"nothing to a del", del, nil, wire.KindConnection, wire.KindTimeout},
		{"a piece of a head", get, hit[:5], wire.KindConnection, wire.KindTimeout},
		{"a piece of a value", get, hit[:12], wire.KindConnection, wire.KindTimeout},
		{"neither hit nor miss", get, []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x02"), wire.KindProtocol, wire.KindProtocol},
		{"an immense value", get, append(bytes.Repeat([]byte{255}, 8), 0), wire.KindTooLarge, wire.KindTooLarge},
		{"a del that is not done", del, []byte{1}, wire.KindProtocol, wire.KindProtocol},
		{"no such thing as a set", func(c *user) error { return c.Set(c.t.Context(), []byte("key"), nil) }, []byte{0},
			wire.KindConnection, wire.KindLockWait},
		{"garbage", fill, []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), wire.KindProtocol, wire.KindProtocol},
	} {
		t.Run(test.name, func(t *testing.T) {
			for stalls, kind := range map[bool]wire.Kind{false: test.closes, true: test.stalled} {
				p := newPool(t, answering(t, test.answer, stalls), optionsOf(wire.G3))
				c := wire.NewClient(p, 100*time.Millisecond)
				requireKind(t, kind, test.call(&user{c, t}))
				c.Close()
			}
		})
	}
}

func TestUnexpectedBytes(t *testing.T) {
	for g := wire.G1; g <= wire.G3; g++ {
		c := newClient(t, newPool(t, "[::1]:1", canned(g, append(hitOf(g, []byte("value")), 0))))
		c.requireValue("key", "value")
		e := requireKind(t, wire.KindProtocol, c.Del(t.Context(), []byte("key")))
		require.EqualError(t, e, "the server sent 1 unexpected bytes")
		c.requireValue("key", "value")

		miss := newClient(t, newPool(t, "[::1]:1", canned(g, append(make([]byte, 8), 1, 0))))
		_, _, err := miss.getOrSet("key", with("value"))
		requireKind(t, wire.KindProtocol, err)
	}
}

func TestSetThatLosesItsLock(t *testing.T) {
	for losses, kind := range map[int32]wire.Kind{0: "", 1: "", 9: "", 10: wire.KindLockLost, 100: wire.KindLockLost} {
		left, fills := atomic.Int32{}, atomic.Int32{}
		left.Store(losses)
		miss := append(bytes.Repeat([]byte{255}, 8), 1)
		address := listen(t, func(c net.Conn) {
			command := 1 + 1 + len("key")
			for _, asked := range []struct {
				size   int
				answer []byte
			}{{8, []byte{0}}, {command, []byte{0}}, {command, miss}} { // the handshake, DEL, GET_OR_SET
				if _, err := io.ReadFull(c, make([]byte, asked.size)); err != nil {
					return
				}
				_, _ = c.Write(asked.answer)
			}
			if _, err := io.ReadFull(c, make([]byte, 8+len("value"))); err != nil {
				return
			}
			if fills.Add(1); left.Add(-1) >= 0 {
				return
			}
			_, _ = c.Write([]byte{0})
			_, _ = io.Copy(io.Discard, c)
		})
		p := newPool(t, address, optionsOf(wire.G1))
		c := newClient(t, p)
		err := c.Set(t.Context(), []byte("key"), []byte("value"))
		if kind == "" {
			require.NoError(t, err)
		} else {
			requireKind(t, kind, err)
		}
		require.Equal(t, min(losses+1, 10), fills.Load())
		retries, _ := c.Retries()
		require.Equal(t, uint64(min(losses, 9)), retries)
		p.Close()
	}
}

func TestUnacknowledgedFill(t *testing.T) {
	miss := append(bytes.Repeat([]byte{255}, 8), 1)
	for stalls, kind := range map[bool]wire.Kind{false: wire.KindLockLost, true: wire.KindTimeout} {
		p := newPool(t, answering(t, miss, stalls), optionsOf(wire.G1))
		c := wire.NewClient(p, 100*time.Millisecond)
		_, _, err := c.GetOrSet(t.Context(), []byte("key"), nil, with("value"))
		requireKind(t, kind, err)
		c.Close()
	}
}

func TestHandshakesThatCannotBe(t *testing.T) {
	for _, test := range []struct {
		name  string
		serve func(net.Conn)
		kind  wire.Kind
	}{
		{"closed", func(net.Conn) {}, wire.KindRefused},
		{"silent", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, wire.KindConnect},
		{"something else", func(c net.Conn) { _, _ = c.Write([]byte("SSH-2.0\r\n")); _, _ = io.Copy(io.Discard, c) }, wire.KindProtocol},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := optionsOf(wire.G3)
			o.ConnectTimeout = 50 * time.Millisecond
			p := newPool(t, listen(t, test.serve), o)
			requireKind(t, test.kind, newClient(t, p).Del(t.Context(), []byte("key")))
		})
	}
}

func TestLyingSizeTakesNoMemory(t *testing.T) {
	head := make([]byte, 9)
	orderOf(wire.G3).PutUint64(head, 1<<40)
	o := canned(wire.G3, append(head, make([]byte, 1000)...))
	o.MaxValue = math.MaxInt
	c := newClient(t, newPool(t, "[::1]:1", o))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := c.Get(t.Context(), []byte("key"), nil)
	runtime.ReadMemStats(&after)
	requireKind(t, wire.KindConnection, err)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func cancelled(t *testing.T, p *wire.Pool, begun func() bool, call func(ctx context.Context, c *wire.Client) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c := wire.NewClient(p, time.Hour)
	defer c.Close()
	ended := make(chan error, 1)
	go func() { ended <- call(ctx, c) }()
	require.Eventually(t, begun, 10*time.Second, time.Millisecond)
	cancel()
	requireKind(t, wire.KindCancelled, <-ended)
}

func TestInterruptedWhileItWaits(t *testing.T) {
	del := func(ctx context.Context, c *wire.Client) error { return c.Del(ctx, []byte("key")) }
	t.Run("for a lock", func(t *testing.T) {
		s := umemtest.Start(t, umemtest.Options{})
		p := newPool(t, s.Address(), optionsOf(wire.G3))
		lock(t, s, newClient(t, p), "key", "value")
		cancelled(t, p, func() bool { return s.Waiting("key") == 1 }, func(ctx context.Context, c *wire.Client) error {
			_, _, err := c.Get(ctx, []byte("key"), nil)

			return err
		})
	})
	t.Run("for a connection", func(t *testing.T) {
		s := umemtest.Start(t, umemtest.Options{})
		o := optionsOf(wire.G3)
		o.ConnectionsPerThread = 1
		p := newPool(t, s.Address(), o)
		lock(t, s, newClient(t, p), "key", "value")
		cancelled(t, p, func() bool { return true }, del)
	})
	t.Run("for a handshake", func(t *testing.T) {
		arrived := make(chan struct{})
		address := listen(t, func(c net.Conn) { close(arrived); _, _ = io.Copy(io.Discard, c) })
		cancelled(t, newPool(t, address, optionsOf(wire.G3)), func() bool { <-arrived; return true }, del)
	})
	t.Run("for a dialler", func(t *testing.T) {
		arrived := make(chan struct{})
		o := optionsOf(wire.G3)
		o.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			close(arrived)
			<-ctx.Done()

			return nil, ctx.Err()
		}
		cancelled(t, newPool(t, "[::1]:1", o), func() bool { <-arrived; return true }, del)
	})
	t.Run("for a fill to be taken", func(t *testing.T) {
		begun := make(chan struct{})
		address := listen(t, func(c net.Conn) {
			_, _ = io.ReadFull(c, make([]byte, 8))
			_, _ = c.Write([]byte{0})
			_, _ = io.ReadFull(c, make([]byte, 5))
			_, _ = c.Write(append(make([]byte, 8), 1))
			_, _ = io.ReadFull(c, make([]byte, 1))
			close(begun)
			<-t.Context().Done()
		})
		cancelled(t, newPool(t, address, optionsOf(wire.G3)), func() bool { <-begun; return true }, func(ctx context.Context, c *wire.Client) error {
			_, _, err := c.GetOrSet(ctx, []byte("key"), nil, func() ([]byte, error) { return make([]byte, wire.DefaultMaxValue), nil })

			return err
		})
	})
}

func TestServerThatRestarts(t *testing.T) {
	s := umemtest.Start(t, umemtest.Options{})
	c := newClient(t, newPool(t, s.Address(), optionsOf(wire.G3)))
	require.NoError(t, c.Del(t.Context(), []byte("key")))
	s.Disconnect()
	require.NoError(t, c.Del(t.Context(), []byte("key")))
	retries, lost := c.Retries()
	require.Equal(t, uint64(1), retries)
	require.Zero(t, lost)
}

func TestPoolThatIsClosed(t *testing.T) {
	s := umemtest.Start(t, umemtest.Options{})
	p := newPool(t, s.Address(), optionsOf(wire.G3))
	c := newClient(t, p)
	require.NoError(t, c.Connect(t.Context()))
	unlock := lock(t, s, newClient(t, p), "key", "value")
	require.Equal(t, 4, s.Connections())
	p.Close()
	requireKind(t, wire.KindUsage, c.Del(t.Context(), []byte("key")))
	require.NoError(t, c.Connect(t.Context()))
	require.Eventually(t, func() bool { return s.Connections() == 1 }, 10*time.Second, time.Millisecond)
	require.NoError(t, unlock())
	require.Eventually(t, func() bool { return s.Connections() == 0 }, 10*time.Second, time.Millisecond)
	value, found := s.Value("key")
	require.True(t, found)
	require.Equal(t, "value", value)
	requireNoGoroutines(t)
}

func FuzzAnswer(f *testing.F) {
	for g := wire.G1; g <= wire.G3; g++ {
		for _, value := range []string{"", "value"} {
			f.Add(int(g), hitOf(g, []byte(value)))
		}
		f.Add(int(g), append(bytes.Repeat([]byte{0xAA}, 8), 1, 0))
		f.Add(int(g), append(bytes.Repeat([]byte{0xFF}, 8), 0))
		f.Add(int(g), []byte{0, 0, 0})
	}
	garbage := make([]byte, 100)
	_, _ = rand.Read(garbage)
	f.Add(3, garbage)
	f.Add(3, make([]byte, 9))
	f.Fuzz(func(t *testing.T, generation int, answer []byte) {
		g := wire.Generation(generation)
		if g < wire.G1 || g > wire.G3 {
			return
		}
		o := canned(g, answer)
		o.MaxValue = 1000
		p := newPool(t, "[::1]:1", o)
		value, found, err := newClient(t, p).Get(t.Context(), []byte("key"), nil)
		switch {
		case len(answer) < 9:
			requireKind(t, wire.KindConnection, err)
		case answer[8] == 1:
			require.NoError(t, err)
			require.False(t, found)
		case answer[8] > 1:
			requireKind(t, wire.KindProtocol, err)
		case orderOf(g).Uint64(answer) > 1000:
			requireKind(t, wire.KindTooLarge, err)
		case orderOf(g).Uint64(answer) > uint64(len(answer)-9):
			requireKind(t, wire.KindConnection, err)
		default:
			require.NoError(t, err)
			require.True(t, found)
			require.Equal(t, string(answer[9:9+orderOf(g).Uint64(answer)]), string(value))
		}
		c := &user{wire.NewClient(p, 10*time.Millisecond), t}
		defer c.Close()
		for _, call := range []func() error{
			func() error { return c.Del(t.Context(), nil) },
			func() error { return c.Set(t.Context(), nil, []byte("v")) },
			func() error { _, _, err := c.getOrSet("k", with("v")); return err },
		} {
			var e *wire.Error
			if err := call(); err != nil && !errors.As(err, &e) {
				t.Fatal(fmt.Errorf("an error of another type: %w", err))
			}
		}
	})
}
