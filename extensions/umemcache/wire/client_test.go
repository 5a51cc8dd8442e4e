package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/umemtest"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

type server struct {
	address string
	options wire.Options
}

func servers(t *testing.T) []server {
	t.Helper()
	if address := os.Getenv("UMEM_URL"); address != "" {
		g, err := wire.ParseGeneration(os.Getenv("UMEM_GENERATION"))
		require.NoError(t, err, "UMEM_GENERATION says what UMEM_URL is")

		return []server{{address, optionsOf(g)}}
	}
	var servers []server
	for g := wire.G1; g <= wire.G3; g++ {
		s := umemtest.Start(t, umemtest.Options{Generation: g, Timeout: 300 * time.Millisecond})
		t.Cleanup(func() { require.Empty(t, s.Violations()) })
		servers = append(servers, server{s.Address(), optionsOf(g)})
	}

	return servers
}

func optionsOf(g wire.Generation) wire.Options {
	o := wire.Options{Settings: wire.DefaultSettings()}
	o.Generation = g

	return o
}

func newPool(t *testing.T, address string, o wire.Options) *wire.Pool {
	t.Helper()
	p, err := wire.NewPool(address, o)
	require.NoError(t, err)
	t.Cleanup(p.Close)

	return p
}

func newClient(t *testing.T, target wire.Target) *user {
	t.Helper()
	c := wire.NewClient(target, 10*time.Second)
	t.Cleanup(c.Close)

	return &user{c, t}
}

type user struct {
	*wire.Client

	t *testing.T
}

func (u *user) get(key string) (string, bool) {
	u.t.Helper()
	value, found, err := u.Get(u.t.Context(), []byte(key), nil)
	require.NoError(u.t, err)

	return string(value), found
}

func (u *user) requireValue(key, want string) {
	u.t.Helper()
	value, found := u.get(key)
	require.True(u.t, found, key)
	require.Equal(u.t, want, value)
}

func (u *user) requireNone(key string) {
	u.t.Helper()
	_, found := u.get(key)
	require.False(u.t, found, key)
}

func (u *user) set(key, value string) {
	u.t.Helper()
	require.NoError(u.t, u.Set(u.t.Context(), []byte(key), []byte(value)))
}

func (u *user) getOrSet(key string, fill func() ([]byte, error)) (string, bool, error) {
	value, found, err := u.GetOrSet(u.t.Context(), []byte(key), nil, fill)

	return string(value), found, err
}

func with(value string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(value), nil }
}

func requireKind(t *testing.T, kind wire.Kind, err error) *wire.Error {
	t.Helper()
	var e *wire.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, kind, e.Kind, "%v", err)
	require.NotContains(t, e.Error(), "\n")

	return e
}

func each(t *testing.T, test func(f fixture)) {
	t.Helper()
	for _, s := range servers(t) {
		t.Run(s.options.Generation.String(), func(t *testing.T) {
			key := fmt.Sprintf("%s %d %d", t.Name(), os.Getpid(), time.Now().UnixNano())
			test(fixture{t, s, newPool(t, s.address, s.options), key})
		})
	}
}

type fixture struct {
	t      *testing.T
	server server
	pool   *wire.Pool
	key    string
}

func TestOperations(t *testing.T) {
	each(t, func(f fixture) {
		t, p, key := f.t, f.pool, f.key
		c := newClient(t, p)
		c.requireNone(key)

		value, found, err := c.getOrSet(key, with("first"))
		require.NoError(t, err)
		require.False(t, found)
		require.Equal(t, "first", value)

		value, found, err = c.getOrSet(key, func() ([]byte, error) { panic("must not be called") })
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, "first", value)

		c.set(key, "second")
		c.requireValue(key, "second")
		c.set(key, "")
		c.requireValue(key, "")
		require.NoError(t, c.Del(t.Context(), []byte(key)))
		c.requireNone(key)
		require.NoError(t, c.Del(t.Context(), []byte(key)))
		retries, lost := c.Retries()
		require.Zero(t, retries)
		require.Zero(t, lost)
	})
}

func TestKeysAndValuesOfAllSizes(t *testing.T) {
	each(t, func(f fixture) {
		t, p, key := f.t, f.pool, f.key
		c := newClient(t, p)
		for _, size := range []int{0, 1, 100, 16<<10 - 9, 16<<10 - 8, 16<<10 - 7, 64 << 10, 1<<20 + 1, 8 << 20, wire.DefaultMaxValue} {
			c.set(key, strings.Repeat("v", size))
			value, found := c.get(key)
			require.True(t, found)
			require.Equal(t, size, strings.Count(value, "v"))
			require.Len(t, value, size)
		}
		for size := range 256 {
			key := strings.Repeat("\xff\x00", 128)[:size]
			c.set(key, key)
			c.requireValue(key, key)
		}
		long := requireKind(t, wire.KindUsage, c.Set(t.Context(), make([]byte, 256), nil))
		require.EqualError(t, long, "a key of 256 bytes is too long: at most 255 are allowed")
	})
}

func TestThreadsFollowTheHash(t *testing.T) {
	for g := wire.G1; g <= wire.G3; g++ {
		s := umemtest.Start(t, umemtest.Options{Generation: g, Threads: 3})
		o := optionsOf(g)
		o.Threads = 3
		c := newClient(t, newPool(t, s.Address(), o))
		for i := range 30 {
			key := fmt.Sprintf("key:%d", i)
			c.set(key, "x")
			h1, _ := wire.Hash([]byte(key))
			require.Equal(t, g.Thread(h1, 3), s.ThreadOf(key), key)
		}
		require.Equal(t, 3, s.Connections())
	}
}

func TestIntoIsAppendedTo(t *testing.T) {
	each(t, func(f fixture) {
		t, p, key := f.t, f.pool, f.key
		c := newClient(t, p)
		c.set(key, "value")
		value, _, err := c.Get(t.Context(), []byte(key), []byte("before "))
		require.NoError(t, err)
		require.Equal(t, "before value", string(value))
	})
}

func TestHitAllocatesNothing(t *testing.T) {
	for g := wire.G1; g <= wire.G3; g++ {
		for _, size := range []int{10, 100 << 10} {
			c := newClient(t, newPool(t, "[::1]:1", canned(g, hitOf(g, bytes.Repeat([]byte("v"), size)))))
			key, into := []byte("key"), make([]byte, 0, size)
			ctx := t.Context()
			hit := func() {
				value, found, err := c.Get(ctx, key, into)
				if err != nil || !found || len(value) != size {
					panic(fmt.Sprint(len(value), found, err))
				}
			}
			hit()
			require.Zero(t, testing.AllocsPerRun(1000, hit))
		}
	}
}

func TestWaitersGetTheValue(t *testing.T) {
	for g := wire.G1; g <= wire.G3; g++ {
		t.Run(g.String(), func(t *testing.T) {
			s := umemtest.Start(t, umemtest.Options{Generation: g})
			p := newPool(t, s.Address(), optionsOf(g))
			owner := newClient(t, p)
			var wg sync.WaitGroup
			_, found, err := owner.getOrSet("key", func() ([]byte, error) {
				for range 5 {
					wg.Go(func() {
						value, found, err := newClient(t, p).getOrSet("key", with("of a waiter"))
						if err != nil || !found || value != "of the owner" {
							t.Errorf("a waiter got %q, %v, %v", value, found, err)
						}
					})
				}
				require.Eventually(t, func() bool { return s.Waiting("key") == 5 }, 10*time.Second, time.Millisecond)

				return []byte("of the owner"), nil
			})
			require.NoError(t, err)
			require.False(t, found)
			wg.Wait()
			require.Empty(t, s.Violations())
		})
	}
}

func lock(t *testing.T, s *umemtest.Server, c *user, key, value string) (unlock func() error) {
	t.Helper()
	release, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		_, _, err := c.getOrSet(key, func() ([]byte, error) {
			<-release

			return []byte(value), nil
		})
		ended <- err
	}()
	require.Eventually(t, func() bool { return s.Locked(key) }, 10*time.Second, time.Millisecond)
	unlock = sync.OnceValue(func() error {
		close(release)

		return <-ended
	})
	t.Cleanup(func() { _ = unlock() })

	return unlock
}

func TestLockWaitedForTooLong(t *testing.T) {
	for g := wire.G1; g <= wire.G3; g++ {
		t.Run(g.String(), func(t *testing.T) {
			s := umemtest.Start(t, umemtest.Options{Generation: g})
			p := newPool(t, s.Address(), optionsOf(g))
			unlock := lock(t, s, newClient(t, p), "key", "value")

			hasty := wire.NewClient(p, 50*time.Millisecond)
			defer hasty.Close()
			for _, call := range []func() error{
				func() error { _, _, err := hasty.Get(t.Context(), []byte("key"), nil); return err },
				func() error { _, _, err := hasty.GetOrSet(t.Context(), []byte("key"), nil, with("x")); return err },
			} {
				requireKind(t, wire.KindLockWait, call())
				require.Eventually(t, func() bool { return s.Waiting("key") == 0 }, 10*time.Second, time.Millisecond,
					"who gives up resets the connection: the server does not notice a close")
			}
			require.NoError(t, unlock())
			newClient(t, p).requireValue("key", "value")
		})
	}
}

func TestLockTakenByADel(t *testing.T) {
	for g := wire.G1; g <= wire.G3; g++ {
		t.Run(g.String(), func(t *testing.T) {
			s := umemtest.Start(t, umemtest.Options{Generation: g})
			p := newPool(t, s.Address(), optionsOf(g))
			unlock := lock(t, s, newClient(t, p), "key", "lost")
			other := newClient(t, p)
			require.NoError(t, other.Del(t.Context(), []byte("key")))

			err := unlock()
			if g == wire.G1 {
				requireKind(t, wire.KindLockLost, err)
			} else if err != nil { // a fill is not acknowledged, but the reset may have arrived
				requireKind(t, wire.KindLockLost, err)
			}
			_, stored := s.Value("key")
			require.False(t, stored)

			lost := uint64(0)
			for range 3 {
				other.set("key", "kept")
				_, n := other.Retries()
				lost += n
			}
			if g != wire.G1 && err == nil {
				require.Equal(t, uint64(1), lost)
			} else {
				require.Zero(t, lost)
			}
			other.requireValue("key", "kept")
		})
	}
}

func TestLockLostToTheClock(t *testing.T) {
	s := umemtest.Start(t, umemtest.Options{Generation: wire.G1, Timeout: 10 * time.Millisecond})
	p := newPool(t, s.Address(), optionsOf(wire.G1))
	unlock := lock(t, s, newClient(t, p), "key", "late")
	value, found, err := newClient(t, p).getOrSet("key", with("of the next"))
	require.NoError(t, err)
	require.False(t, found)
	require.Equal(t, "of the next", value)
	requireKind(t, wire.KindLockLost, unlock())
	newClient(t, p).requireValue("key", "of the next")
}

func TestValueWithoutRoom(t *testing.T) {
	for g := wire.G1; g <= wire.G3; g++ {
		s := umemtest.Start(t, umemtest.Options{Generation: g, Memory: 4 << 20})
		c := newClient(t, newPool(t, s.Address(), optionsOf(g)))
		err := c.Set(t.Context(), []byte("key"), make([]byte, 8<<20))
		requireKind(t, wire.KindLockLost, err)
		c.requireNone("key")
	}
}

func TestMaxValue(t *testing.T) {
	each(t, func(f fixture) {
		t, s, p, key := f.t, f.server, f.pool, f.key
		newClient(t, p).set(key, "four")
		s.options.MaxValue = 3
		small := newPool(t, s.address, s.options)
		c := newClient(t, small)
		_, _, err := c.Get(t.Context(), []byte(key), nil)
		e := requireKind(t, wire.KindTooLarge, err)
		require.EqualError(t, e, "the server announces a value of 4 bytes; maxValue is 3")
		e = requireKind(t, wire.KindTooLarge, c.Set(t.Context(), []byte(key), []byte("four")))
		require.EqualError(t, e, "a value of 4 bytes is larger than maxValue (3)")
		require.NoError(t, c.Del(t.Context(), []byte(key)))
		_, _, err = c.getOrSet(key, with("four"))
		requireKind(t, wire.KindTooLarge, err)
		c.set(key, "3..")
		c.requireValue(key, "3..")
	})
}

func TestFillThatFails(t *testing.T) {
	each(t, func(f fixture) {
		t, p, key := f.t, f.pool, f.key
		c := newClient(t, p)
		broken := errors.New("the database is down")
		_, _, err := c.getOrSet(key, func() ([]byte, error) { return nil, broken })
		requireKind(t, wire.KindFill, err)
		require.ErrorIs(t, err, broken)
		require.PanicsWithValue(t, "oh", func() { _, _, _ = c.getOrSet(key, func() ([]byte, error) { panic("oh") }) })

		value, found, err := c.getOrSet(key, with("again"))
		require.NoError(t, err)
		require.False(t, found)
		require.Equal(t, "again", value)
	})
}

func TestTraffic(t *testing.T) {
	for g := wire.G1; g <= wire.G3; g++ {
		s := umemtest.Start(t, umemtest.Options{Generation: g, Threads: 1})
		o := optionsOf(g)
		o.Threads = 1
		c := newClient(t, newPool(t, s.Address(), o))
		requireTraffic := func(wantReceived, wantSent uint64) {
			t.Helper()
			received, sent := c.Traffic()
			require.Equal(t, wantReceived, received)
			require.Equal(t, wantSent, sent)
		}
		acknowledged := uint64(0)
		if g == wire.G1 {
			acknowledged = 1
		}
		require.NoError(t, c.Connect(t.Context()))
		requireTraffic(1, 8)
		c.set("key", "value")
		requireTraffic(1+9+acknowledged, 5+5+8+5)
		c.requireValue("key", "value")
		requireTraffic(9+5, 5)
		requireTraffic(0, 0)
		c.requireNone("other")
		requireTraffic(9, 7)
	}
}

func TestManyClients(t *testing.T) {
	each(t, func(f fixture) {
		t, s, key := f.t, f.server, f.key
		s.options.ConnectionsPerThread = 4
		p := newPool(t, s.address, s.options)
		var wg sync.WaitGroup
		var lost atomic.Int64
		for i := range 32 {
			c := newClient(t, p)
			wg.Go(func() {
				for n := range 100 {
					key := fmt.Sprintf("%s %d", key, n%7)
					var value []byte
					var err error
					switch (i + n) % 5 {
					case 0:
						err = c.Set(t.Context(), []byte(key), []byte("value of "+key))
					case 1:
						err = c.Del(t.Context(), []byte(key))
					default:
						value, _, err = c.GetOrSet(t.Context(), []byte(key), nil, with("value of "+key))
					}
					var e *wire.Error
					if errors.As(err, &e) && (e.Kind == wire.KindLockLost || e.Kind == wire.KindConnection) {
						lost.Add(1)

						continue
					}
					if err != nil || value != nil && string(value) != "value of "+key {
						t.Errorf("%s: %q, %v", key, value, err)
					}
				}
			})
		}
		wg.Wait()
		require.Less(t, lost.Load(), int64(32*100/4))
	})
}

func TestContextThatIsDone(t *testing.T) {
	s := umemtest.Start(t, umemtest.Options{})
	c := newClient(t, newPool(t, s.Address(), optionsOf(wire.G3)))
	ctx, cancel := context.WithCancelCause(t.Context())
	require.NoError(t, c.Del(ctx, []byte("key")))
	reason := errors.New("enough")
	cancel(reason)
	err := c.Del(ctx, []byte("key"))
	requireKind(t, wire.KindCancelled, err)
	require.ErrorIs(t, err, reason)
	require.NoError(t, c.Del(t.Context(), []byte("key")), "it is the context that is done, not the client")
	require.Equal(t, 1, s.Accepted())
}
