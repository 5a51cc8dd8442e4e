//go:build linux && !portable

package eventloop_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

const patience = 30 * time.Second

func serve(t *testing.T, network string, talk func(net.Conn)) string {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		address = t.TempDir() + "/socket"
	}
	listener, err := net.Listen(network, address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				talk(conn)
			}()
		}
	}()

	return listener.Addr().String()
}

func converse(conn net.Conn, answer func(line string) error) {
	r := bufio.NewReader(conn)
	for {
		line, err := r.ReadString('\n')
		if err != nil || answer(line) != nil {
			return
		}
	}
}

func echo(conn net.Conn) {
	converse(conn, func(line string) error {
		_, err := io.WriteString(conn, line)

		return err
	})
}

func dial(t *testing.T, network, address string) *eventloop.Conn {
	t.Helper()
	inner, err := net.Dial(network, address)
	require.NoError(t, err)
	conn := eventloop.NewConn(inner)
	t.Cleanup(func() { _ = conn.Close() })

	return conn
}

type client struct {
	*eventloop.Conn

	r *bufio.Reader
}

func newClient(conn *eventloop.Conn) *client { return &client{conn, bufio.NewReader(conn)} }

func (c *client) ask(line string) error {
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		return err
	}
	answer, err := c.r.ReadString('\n')
	if err == nil && answer != line+"\n" {
		err = fmt.Errorf("%q was answered with %q", line, answer)
	}

	return err
}

func TestJobsShareLoops(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"tcp", "unix"} {
		address := serve(t, network, echo)
		var loops eventloop.Loops
		var all sync.WaitGroup
		for number := range 40 {
			c, seat := newClient(dial(t, network, address)), loops.Seat()
			all.Go(func() {
				for round := range 3 { // moves the seat between loops
					err := seat.Do(number+round, func() error {
						c.Use(seat)
						for i := range 50 {
							seat.Begin()
							if err := c.ask(fmt.Sprint(number, round, i)); err != nil {
								return err
							}
						}

						return nil
					})
					c.Use(nil)
					if err != nil || seat.Inside() {
						t.Errorf("client %d, inside: %v: %v", number, seat.Inside(), err)
					}
					if err := c.ask("on a goroutine"); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
	}
}

// Long requests and answers do not block other clients.
func TestLongMessages(t *testing.T) {
	t.Parallel()
	address := serve(t, "tcp", func(conn net.Conn) {
		time.Sleep(20 * time.Millisecond) // lets the request fill the socket's buffer
		echo(conn)
	})
	var loops eventloop.Loops
	var all sync.WaitGroup
	for number := range 4 {
		c, seat := newClient(dial(t, "tcp", address)), loops.Seat()
		all.Go(func() {
			long := strings.Repeat(fmt.Sprint(number), 5<<20)
			if err := seat.Do(number, func() error { c.Use(seat); return c.ask(long) }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// With two clients whose answers are already there, turns alternate.
func TestClientsTakeTurns(t *testing.T) {
	t.Parallel()
	const clients, operations = 2, 50
	address := serve(t, "tcp", echo)
	var loops eventloop.Loops
	var all sync.WaitGroup
	var order []int // safe: jobs of one loop never run concurrently
	together := make(chan struct{})
	for number := range clients {
		inner, err := net.Dial("tcp", address)
		require.NoError(t, err)
		c, seat := newClient(eventloop.NewConn(inner)), loops.Seat()
		t.Cleanup(func() { _ = c.Close() })
		all.Go(func() {
			if err := seat.Do(0, func() error {
				seat.Away(func() { <-together })
				c.Use(seat)
				for range operations {
					seat.Begin()
					if _, err := io.WriteString(c, "x\n"); err != nil {
						return err
					}
					if err := arrived(inner); err != nil {
						return err
					}
					if _, err := c.r.ReadString('\n'); err != nil {
						return err
					}
					order = append(order, number)
				}

				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	close(together)
	all.Wait()
	require.Len(t, order, clients*operations)
	inARow := 0
	for i := 1; i < len(order); i++ {
		if order[i] == order[i-1] {
			inARow++
		}
	}
	require.LessOrEqual(t, inARow, 6, "one may begin, and end, alone: %v", order)
}

func arrived(conn net.Conn) error {
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return err
	}
	for begin, n := time.Now(), 0; n == 0 && time.Since(begin) < patience; runtime.Gosched() {
		if err := raw.Control(func(socket uintptr) {
			n, _, _ = unix.Recvfrom(int(socket), make([]byte, 1), unix.MSG_PEEK|unix.MSG_DONTWAIT)
			n = max(n, 0)
		}); err != nil {
			return err
		}
	}

	return nil
}

// A client whose operations fail before any I/O yields too.
func TestBeginYields(t *testing.T) {
	t.Parallel()
	var loops eventloop.Loops
	var stop atomic.Bool
	var all sync.WaitGroup
	busy, other := loops.Seat(), loops.Seat()
	begun := make(chan struct{})
	all.Go(func() {
		_ = busy.Do(0, func() error {
			close(begun)
			for !stop.Load() {
				busy.Begin()
			}

			return nil
		})
	})
	<-begun
	require.NoError(t, other.Do(0, func() error { stop.Store(true); return nil }))
	all.Wait()
}

func TestDeadlineEndsRead(t *testing.T) {
	t.Parallel()
	silent := serve(t, "tcp", func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	var loops eventloop.Loops
	conn, seat := dial(t, "tcp", silent), loops.Seat()
	begin := time.Now()
	err := seat.Do(0, func() error {
		conn.Use(seat)
		if err := conn.SetDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			return err
		}
		_, err := conn.Read(make([]byte, 1))

		return err
	})
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.GreaterOrEqual(t, time.Since(begin), 50*time.Millisecond)
	require.Less(t, time.Since(begin), patience)
}

func TestOthersInterruptRead(t *testing.T) {
	t.Parallel()
	silent := serve(t, "tcp", func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	for name, interrupt := range map[string]struct {
		do   func(*eventloop.Conn) error
		want error
	}{
		"deadline": {func(c *eventloop.Conn) error { return c.SetDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded},
		"close":    {func(c *eventloop.Conn) error { return c.Close() }, net.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var loops eventloop.Loops
			conn, seat := dial(t, "tcp", silent), loops.Seat()
			reading, ended := make(chan struct{}), make(chan error, 1)
			go func() {
				ended <- seat.Do(0, func() error {
					conn.Use(seat)
					close(reading)
					_, err := conn.Read(make([]byte, 1))

					return err
				})
			}()
			<-reading
			require.NoError(t, interrupt.do(conn))
			select {
			case err := <-ended:
				require.ErrorIs(t, err, interrupt.want)
			case <-time.After(patience):
				t.Fatal("the read goes on")
			}
		})
	}
}

// A close that arrives together with the last bytes is noticed.
func TestEndOfConnection(t *testing.T) {
	t.Parallel()
	address := serve(t, "tcp", func(conn net.Conn) {
		_, _ = bufio.NewReader(conn).ReadString('\n')
		_, _ = io.WriteString(conn, "bye")
	})
	var loops eventloop.Loops
	conn, seat := dial(t, "tcp", address), loops.Seat()
	var said []byte
	require.NoError(t, seat.Do(0, func() (err error) {
		conn.Use(seat)
		if _, err = io.WriteString(conn, "hello\n"); err == nil {
			said, err = io.ReadAll(conn)
		}

		return err
	}))
	require.Equal(t, "bye", string(said))
}

func TestAway(t *testing.T) {
	t.Parallel()
	var loops eventloop.Loops
	slow, quick := loops.Seat(), loops.Seat()
	away, back := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- slow.Do(0, func() error {
			slow.Away(func() { close(away); <-back })

			return errors.New("after it")
		})
	}()
	<-away
	require.NoError(t, quick.Do(0, func() error { return nil }))
	close(back)
	require.EqualError(t, <-ended, "after it")

	err := slow.Do(0, func() error {
		slow.Away(func() { panic("away") })

		return nil
	})
	require.ErrorAs(t, err, new(*crash.Error))

	var none *eventloop.Seat
	did := false
	none.Begin()
	none.Away(func() { did = true })
	require.True(t, did)
}

func TestJobsMayPanic(t *testing.T) {
	t.Parallel()
	var loops eventloop.Loops
	seat := loops.Seat()
	require.ErrorAs(t, seat.Do(0, func() error { panic("job") }), new(*crash.Error))
	require.Error(t, seat.Do(0, func() error { runtime.Goexit(); return nil }))
	require.NoError(t, seat.Do(0, func() error { return nil }))
}

func TestWaitOfAnswers(t *testing.T) {
	t.Parallel()
	const slept = 20 * time.Millisecond
	address := serve(t, "tcp", echo)
	var loops eventloop.Loops
	seat, c := loops.Seat(), newClient(dial(t, "tcp", address))
	var waits []time.Duration
	seat.Waited = func(loop int, wait time.Duration) {
		if loop != 0 {
			t.Errorf("loop %d", loop)
		}
		waits = append(waits, wait)
	}
	const operations = 100
	begin := time.Now()
	require.NoError(t, seat.Do(0, func() error {
		c.Use(seat)
		for range operations {
			if _, err := io.WriteString(c, "x\n"); err != nil {
				return err
			}
			time.Sleep(slept) // blocks the loop
			if _, err := c.r.ReadString('\n'); err != nil {
				return err
			}
		}

		return nil
	}))
	took := time.Since(begin)
	require.GreaterOrEqual(t, len(waits), operations/20)
	for _, wait := range waits {
		require.Greater(t, wait, time.Duration(0))
		require.Less(t, wait, took)
	}
	slices.Sort(waits) // a late server makes some waits shorter
	require.Greater(t, waits[len(waits)-1], slept/2)
}

// A job resumed by its deadline may next wait on a connection that was closed meanwhile.
func TestResumedByDeadlineWaitsOnClosedConnection(t *testing.T) {
	t.Parallel()
	address := serve(t, "tcp", func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }) // never answers
	var loops eventloop.Loops
	seat, late, closed := loops.Seat(), dial(t, "tcp", address), dial(t, "tcp", address)
	require.NoError(t, late.SetDeadline(time.Now().Add(20*time.Millisecond)))
	require.NoError(t, closed.Close())
	over := make(chan error, 1)
	go func() {
		over <- seat.Do(0, func() error {
			late.Use(seat)
			closed.Use(seat)
			_, first := late.Read(make([]byte, 1))
			_, then := closed.Read(make([]byte, 1))

			return errors.Join(first, then)
		})
	}()
	select {
	case err := <-over:
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.ErrorIs(t, err, net.ErrClosed)
	case <-time.After(patience):
		require.Fail(t, "the job still waits")
	}
}
