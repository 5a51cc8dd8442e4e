//go:build !portable

package eventloop_test

import (
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

// slow returns a connection to who sends back what it gets after a while.
func slow(t *testing.T) *eventloop.Conn {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	ends := make([]net.Conn, 0, len(pair))
	for _, socket := range pair {
		file := os.NewFile(uintptr(socket), "end")
		end, err := net.FileConn(file)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		ends = append(ends, end)
	}
	var other sync.WaitGroup
	other.Go(func() {
		for b := []byte{0}; ; {
			if _, err := ends[1].Read(b); err != nil {
				return
			}
			time.Sleep(500 * time.Microsecond)
			_, _ = ends[1].Write(b)
		}
	})
	conn := eventloop.NewConn(ends[0])
	t.Cleanup(func() {
		_ = conn.Close()
		other.Wait()
		_ = ends[1].Close()
	})

	return conn
}

// lettingGo is how often one loop lets its processor go while two clients there do so many
// operations, in a process that has so many clients at work.
func lettingGo(t *testing.T, operations, active int) int {
	t.Helper()
	var times atomic.Int64
	loops := eventloop.Loops{Active: func() int {
		times.Add(1)

		return active
	}}
	var done atomic.Int64
	var clients sync.WaitGroup
	for _, conn := range []*eventloop.Conn{slow(t), slow(t)} {
		clients.Go(func() {
			seat := loops.Seat()
			assert.NoError(t, seat.Do(0, func() error {
				for done.Add(1) <= int64(operations) {
					if err := exchange(seat, conn); err != nil {
						return err
					}
				}

				return nil
			}))
		})
	}
	clients.Wait()

	return int(times.Load())
}

// exchange sends a byte, and reads what comes back.
func exchange(seat *eventloop.Seat, conn *eventloop.Conn) error {
	conn.Use(seat)
	seat.Begin()
	b := []byte{0}
	if _, err := conn.Write(b); err != nil {
		return err
	}
	_, err := conn.Read(b)

	return err
}

// A loop whose clients are all that the process does waits for their answers without letting its
// processor go, but for now and then. Where others are at work it lets them have it at each wait.
func TestLoopHoldsItsProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // one is the loop's
	const operations = 200
	var alone, among int
	for range 5 { // a busy machine makes waits long
		alone += lettingGo(t, operations, 2)
		among += lettingGo(t, operations, 3)
	}
	t.Logf("five times %d operations: %d times, and %d where another client is at work", operations, alone, among)
	require.Positive(t, alone)
	require.Less(t, alone, among)
}

// What a client does away from its loop is work of others.
func TestLoopLetsItsProcessorGoForWhoIsAway(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	loops := eventloop.Loops{Active: func() int { return 2 }}
	var clients sync.WaitGroup
	conn := slow(t)
	away := make(chan struct{})
	clients.Go(func() {
		seat := loops.Seat()
		assert.NoError(t, seat.Do(0, func() error {
			seat.Away(func() {
				for range 1000 {
					runtime.Gosched()
				}
			})
			close(away)

			return nil
		}))
	})
	clients.Go(func() {
		seat := loops.Seat()
		assert.NoError(t, seat.Do(0, func() error {
			for {
				select {
				case <-away:
					return nil
				default:
				}
				if err := exchange(seat, conn); err != nil {
					return err
				}
			}
		}))
	})
	clients.Wait()
}

// A loop that holds its processor sees to deadlines.
func TestDeadlinesWhereALoopHoldsItsProcessor(t *testing.T) {
	const timeout = 20 * time.Millisecond
	loops := eventloop.Loops{Active: func() int { return 2 }}
	var clients sync.WaitGroup
	for range 2 {
		conn := slow(t)
		clients.Go(func() {
			seat := loops.Seat()
			assert.NoError(t, seat.Do(0, func() error {
				conn.Use(seat)
				for range 5 {
					began := time.Now()
					if err := conn.SetReadDeadline(began.Add(timeout)); err != nil {
						return err
					}
					_, err := conn.Read([]byte{0})
					if !os.IsTimeout(err) || time.Since(began) < timeout {
						t.Errorf("after %v: %v", time.Since(began), err)
					}
				}

				return nil
			}))
		})
	}
	clients.Wait()
}
