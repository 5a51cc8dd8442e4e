package umemtest_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/umemtest"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// target is the server under test: the imitation of each generation or, with UMEM_URL, the real
// server of UMEM_GENERATION. The real one should have the same short TCP_TIMEOUT, and otherwise the
// defaults of its Makefile.
type target struct {
	generation wire.Generation
	address    string
	t          *testing.T
}

func targets(t *testing.T) []target {
	t.Helper()
	if address := os.Getenv("UMEM_URL"); address != "" {
		g, err := wire.ParseGeneration(os.Getenv("UMEM_GENERATION"))
		require.NoError(t, err, "UMEM_GENERATION says what UMEM_URL is")

		return []target{{g, address, t}}
	}
	var targets []target
	for g := wire.G1; g <= wire.G3; g++ {
		s := umemtest.Start(t, umemtest.Options{Generation: g, Timeout: 500 * time.Millisecond})
		targets = append(targets, target{g, s.Address(), t})
	}

	return targets
}

func (s target) order() binary.ByteOrder {
	if s.generation == wire.G3 {
		return binary.LittleEndian
	}

	return binary.BigEndian
}

func (s target) size(n uint64) []byte {
	b := make([]byte, 8)
	s.order().PutUint64(b, n)

	return b
}

func (s target) hit(value string) []byte {
	return append(append(s.size(uint64(len(value))), 0), value...)
}

func (s target) filling(value string) []byte { return append(s.size(uint64(len(value))), value...) }

func (s target) handshake(thread uint32) []byte {
	b := make([]byte, 8)
	b[0] = 8
	s.order().PutUint32(b[4:], thread)

	return b
}

type raw struct {
	net.Conn

	t *testing.T
	s target
}

func (s target) dial() *raw {
	s.t.Helper()
	c, err := net.Dial("tcp6", s.address)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = c.Close() })

	return &raw{c, s.t, s}
}

func (s target) connect() *raw {
	s.t.Helper()
	r := s.dial()
	r.send(s.handshake(1))
	r.expect([]byte{0})

	return r
}

func (r *raw) send(parts ...[]byte) {
	r.t.Helper()
	_, err := r.Write(bytes.Join(parts, nil))
	require.NoError(r.t, err)
}

func (r *raw) expect(want []byte) {
	r.t.Helper()
	require.NoError(r.t, r.SetReadDeadline(time.Now().Add(10*time.Second)))
	got := make([]byte, len(want))
	_, err := io.ReadFull(r, got)
	require.NoError(r.t, err)
	require.Equal(r.t, want, got)
}

func (r *raw) expectMiss() {
	r.t.Helper()
	require.NoError(r.t, r.SetReadDeadline(time.Now().Add(10*time.Second)))
	head := make([]byte, 9)
	_, err := io.ReadFull(r, head)
	require.NoError(r.t, err)
	require.Equal(r.t, byte(1), head[8])
}

func (r *raw) filled() {
	r.t.Helper()
	if r.s.generation == wire.G1 {
		r.expect([]byte{0})
	}
}

func (r *raw) expectNothing() {
	r.t.Helper()
	require.NoError(r.t, r.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
	n, err := r.Read(make([]byte, 1))
	require.ErrorIs(r.t, err, os.ErrDeadlineExceeded, "%d bytes", n)
}

func (r *raw) expectEnd() {
	r.t.Helper()
	require.NoError(r.t, r.SetReadDeadline(time.Now().Add(10*time.Second)))
	n, err := r.Read(make([]byte, 1))
	require.Zero(r.t, n)
	require.True(r.t, errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET), "%v", err)
}

func (r *raw) expectLost(atOnce ...wire.Generation) {
	r.t.Helper()
	if !slices.Contains(atOnce, r.s.generation) {
		r.expectNothing()
		r.send(r.s.filling("lost"))
	}
	r.expectEnd()
}

func get(key string) []byte { return append([]byte{0, byte(len(key))}, key...) }
func del(key string) []byte { return append([]byte{1, byte(len(key))}, key...) }

func (s target) missing(key string) *raw {
	s.t.Helper()
	owner := s.connect()
	owner.send(get(key))
	owner.expectMiss()

	return owner
}

func (s target) waiting(key string) *raw {
	s.t.Helper()
	waiter := s.connect()
	waiter.send(get(key))
	waiter.expectNothing()

	return waiter
}

var behaviours = []struct {
	name string
	test func(s target, key string)
}{
	{"the reserved bytes of a handshake are ignored", func(s target, _ string) {
		r := s.dial()
		r.send([]byte{8, 0xff, 0xff, 0xff}, s.handshake(3)[4:])
		r.expect([]byte{0})
	}},
	{"a handshake may come in pieces", func(s target, key string) {
		r := s.dial()
		r.send(s.handshake(2)[:3])
		r.expectNothing()
		r.send(s.handshake(2)[3:])
		r.expect([]byte{0})
		r.send(del(key))
		r.expect([]byte{0})
	}},
	{"a thread that is not there", func(s target, _ string) {
		r := s.dial()
		r.send(s.handshake(4))
		r.expectEnd()
	}},
	{"a command behind the handshake is never answered", func(s target, key string) {
		r := s.dial()
		r.send(s.handshake(0), get(key))
		r.expect([]byte{0})
		r.expectNothing()
	}},
	{"a miss, its fill, a hit", func(s target, key string) {
		r := s.missing(key)
		r.send(s.filling("hello"))
		r.filled()
		r.send(get(key))
		r.expect(s.hit("hello"))
	}},
	{"an empty value is a value", func(s target, key string) {
		r := s.missing(key)
		r.send(s.filling(""))
		r.filled()
		r.send(get(key))
		r.expect(s.hit(""))
	}},
	{"keys of 0 and of 255 bytes", func(s target, key string) {
		long := (key + strings.Repeat("\xff\x00", 128))[:255]
		for _, key := range []string{"", long} {
			r := s.connect()
			r.send(del(key))
			r.expect([]byte{0})
			r.send(get(key))
			r.expectMiss()
			r.send(s.filling(key))
			r.filled()
			r.send(get(key))
			r.expect(s.hit(key))
		}
	}},
	{"a fill in pieces", func(s target, key string) {
		r := s.missing(key)
		r.send(s.filling("hello")[:4])
		r.expectNothing()
		r.send(s.filling("hello")[4:10])
		r.expectNothing()
		r.send(s.filling("hello")[10:])
		r.filled()
		r.send(get(key))
		r.expect(s.hit("hello"))
	}},
	{"a command behind a fill", func(s target, key string) {
		r := s.missing(key)
		r.send(s.filling("hello"), get(key))
		if s.generation == wire.G1 {
			r.expect([]byte{0})
			r.expectNothing()
		} else {
			r.expect(s.hit("hello"))
		}
	}},
	{"two commands at once", func(s target, key string) {
		r := s.connect()
		r.send(del(key), del(key))
		if s.generation == wire.G1 {
			r.expect([]byte{0})
		}
		r.expectNothing()
	}},
	{"a command in pieces", func(s target, key string) {
		r := s.connect()
		for _, b := range del(key) {
			r.send([]byte{b})
		}
		r.expect([]byte{0})
	}},
	{"an unknown command", func(s target, _ string) {
		for _, command := range []byte{2, 255} {
			r := s.connect()
			r.send([]byte{command, 0})
			r.expectEnd()
		}
	}},
	{"a key is one of a thread", func(s target, key string) {
		r := s.missing(key)
		r.send(s.filling("in thread 1"))
		r.filled()
		other := s.dial()
		other.send(s.handshake(2))
		other.expect([]byte{0})
		other.send(get(key))
		other.expectMiss()
	}},
	{"those who wait get the value", func(s target, key string) {
		owner := s.missing(key)
		waiters := []*raw{s.waiting(key), s.waiting(key)}
		owner.send(s.filling("hello"))
		owner.filled()
		for _, w := range waiters {
			w.expect(s.hit("hello"))
		}
	}},
	{"the lock of an owner who goes is passed on", func(s target, key string) {
		owner := s.missing(key)
		first, second := s.waiting(key), s.waiting(key)
		require.NoError(s.t, owner.Close())
		second.expectMiss()
		first.expectNothing()
		second.send(s.filling("amid a val")[:10])
		require.NoError(s.t, second.Close())
		first.expectMiss()
		first.send(s.filling("x"))
		first.filled()
		first.send(get(key))
		first.expect(s.hit("x"))
	}},
	{"one who waits may go", func(s target, key string) {
		owner := s.missing(key)
		first, second := s.waiting(key), s.waiting(key)
		require.NoError(s.t, first.Close())
		owner.send(s.filling("x"))
		owner.filled()
		second.expect(s.hit("x"))
	}},
	{"an owner who lets others wait loses the lock", func(s target, key string) {
		owner := s.missing(key)
		waiter := s.waiting(key)
		waiter.expectMiss()
		waiter.send(s.filling("the other's"))
		waiter.filled()
		owner.expectLost(wire.G1, wire.G2)
		waiter.send(get(key))
		waiter.expect(s.hit("the other's"))
	}},
	{"an owner for whom nobody waits has time", func(s target, key string) {
		owner := s.missing(key)
		time.Sleep(1500 * time.Millisecond)
		owner.send(s.filling("late"))
		owner.filled()
		owner.send(get(key))
		owner.expect(s.hit("late"))
	}},
	{"a del of what is there", func(s target, key string) {
		r := s.missing(key)
		r.send(s.filling("hello"))
		r.filled()
		r.send(del(key))
		r.expect([]byte{0})
		r.send(get(key))
		r.expectMiss()
	}},
	{"a del takes the lock", func(s target, key string) {
		owner := s.missing(key)
		waiter := s.waiting(key)
		other := s.connect()
		other.send(del(key))
		other.expect([]byte{0})
		waiter.expectMiss()
		owner.expectLost(wire.G1)
		waiter.send(s.filling("kept"))
		waiter.filled()
		other.send(get(key))
		other.expect(s.hit("kept"))
	}},
	{"a del takes the lock for which nobody waits", func(s target, key string) {
		owner := s.missing(key)
		other := s.connect()
		other.send(del(key))
		other.expect([]byte{0})
		owner.expectLost(wire.G1)
		other.send(get(key))
		other.expectMiss()
	}},
	{"a value that has no room", func(s target, key string) {
		for _, size := range []uint64{27 << 20, 1 << 40, 1<<63 - 100} {
			r := s.missing(key)
			r.send(s.size(size))
			r.expectEnd()
		}
	}},
	{"the largest value", func(s target, key string) {
		value := strings.Repeat("x", wire.DefaultMaxValue)
		r := s.missing(key)
		r.send(s.filling(value))
		r.filled()
		r.send(get(key))
		r.expect(s.hit(value))
		r.send(del(key))
		r.expect([]byte{0})
	}},
	{"the oldest values go first", func(s target, key string) {
		value := strings.Repeat("x", 1<<20)
		for i := range 60 {
			r := s.missing(fmt.Sprintf("%s %d", key, i))
			r.send(s.filling(value))
			r.filled()
			require.NoError(s.t, r.Close())
		}
		s.missing(key + " 30")
		r := s.connect()
		r.send(get(key + " 59"))
		r.expect(s.hit(value))
	}},
	{"a thread has a quarter of the slots", func(s target, _ string) {
		var connections []*raw
		for {
			r := s.dial()
			r.send(s.handshake(3))
			require.NoError(s.t, r.SetReadDeadline(time.Now().Add(10*time.Second)))
			if _, err := io.ReadFull(r, make([]byte, 1)); err != nil {
				break
			}
			connections = append(connections, r)
		}
		require.LessOrEqual(s.t, len(connections), 128)
		require.Greater(s.t, len(connections), 120, "some are still closing from the test before")
		for _, r := range connections {
			require.NoError(s.t, r.Close())
		}
	}},
}

func TestBehaviour(t *testing.T) {
	for _, s := range targets(t) {
		t.Run(s.generation.String(), func(t *testing.T) {
			t.Parallel()
			for i, b := range behaviours {
				t.Run(b.name, func(t *testing.T) {
					s.t = t
					b.test(s, fmt.Sprintf("behaviour %d %d", os.Getpid(), i))
				})
			}
		})
	}
}
