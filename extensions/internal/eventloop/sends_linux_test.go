//go:build !portable

package eventloop

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// slowly is a server that reads nothing for a while, then all of so many bytes, and says "+" then.
// It returns a connection to it with a small buffer, and what it has read.
func slowly(t *testing.T, size int) (net.Conn, func() []byte) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, client.(*net.TCPConn).SetWriteBuffer(4<<10))
	server, err := listener.Accept()
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
	})
	read, over := make([]byte, size), make(chan error, 1)
	go func() {
		time.Sleep(50 * time.Millisecond)
		_, err := io.ReadFull(server, read)
		_, _ = server.Write([]byte("+"))
		over <- err
	}()

	return client, func() []byte {
		require.NoError(t, <-over)

		return read
	}
}

// Requests that go out together come in whole, and in order, also where a socket has no room for
// all of one; and so where the kernel has no way of sending them together.
func TestRequestsOfOneRound(t *testing.T) {
	for name, ring := range map[string]bool{"together": true, "alone": false} {
		t.Run(name, func(t *testing.T) {
			var loops Loops
			loops.once.Do(loops.open)
			require.NoError(t, loops.err)
			one := loops.all[0]
			if one.sends == nil {
				t.Log("the kernel has no io_uring here")
			}
			if !ring {
				one.sends = nil
			}
			const clients, parts, size = 3, 300, 1500
			var all sync.WaitGroup
			for number := range clients {
				inner, read := slowly(t, parts*size)
				c, seat := NewConn(inner), loops.Seat()
				var said bytes.Buffer
				all.Go(func() {
					err := seat.Do(0, func() error {
						c.Use(seat)
						for i := range parts {
							seat.Begin()
							part := bytes.Repeat([]byte{byte(number), byte(i), byte(i >> 8)}, size/3)
							said.Write(part)
							if _, err := c.Write(part); err != nil {
								return err
							}
							clear(part) // it is the caller's again
						}
						_, err := io.ReadFull(c, make([]byte, 1))

						return err
					})
					if err != nil || !bytes.Equal(said.Bytes(), read()) {
						t.Errorf("client %d: %v", number, err)
					}
				})
			}
			all.Wait()
			if one.sends != nil {
				require.Greater(t, one.sends.submitted.Load(), uint32(clients*10), "those for which there was room")
			}
		})
	}
}

// A socket whose connection was closed is known no more: its server hears of the end, and nothing
// that was posted goes to who has the slot next. What was written before has come: at the end of
// the round, or by Flush.
func TestClosedConnectionsAreForgotten(t *testing.T) {
	t.Run("at the end of a round", func(t *testing.T) {
		wordsBeforeClose(t, func(_ *Conn, seat *Seat) error {
			seat.Begin()
			seat.Begin() // the round is over

			return nil
		})
	})
	t.Run("by Flush", func(t *testing.T) {
		wordsBeforeClose(t, func(c *Conn, _ *Seat) error {
			err := c.Flush()
			c.Use(nil) // as one does who gives it to another client

			return err
		})
	})
}

// wordsBeforeClose lets two clients of a loop connect again and again, write a word each time, do
// what makes it go out, and close. All words come.
func wordsBeforeClose(t *testing.T, out func(c *Conn, seat *Seat) error) {
	t.Helper()
	var loops Loops
	loops.once.Do(loops.open)
	require.NoError(t, loops.err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	said := make(chan string)
	go func() {
		for {
			server, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer server.Close()
				all, _ := io.ReadAll(server) // to the end
				said <- string(all)
			}()
		}
	}()
	var all sync.WaitGroup
	for number := range 2 { // so that there are others in a round
		seat := loops.Seat()
		all.Go(func() {
			if err := seat.Do(0, func() error {
				for i := range 50 {
					var inner net.Conn
					var err error
					seat.Away(func() { inner, err = net.Dial("tcp", listener.Addr().String()) })
					if err != nil {
						return err
					}
					c := NewConn(inner)
					c.Use(seat)
					word := strings.Repeat(string(rune('a'+number)), i+1)
					if _, err := io.WriteString(c, word); err != nil {
						return err
					}
					if err := out(c, seat); err != nil {
						return err
					}
					if err := c.Close(); err != nil {
						return err
					}
				}

				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	missing := map[string]bool{}
	for length := range 50 {
		missing[strings.Repeat("a", length+1)], missing[strings.Repeat("b", length+1)] = true, true
	}
	for range 100 {
		select {
		case word := <-said:
			require.True(t, missing[word], "%q", word)
			delete(missing, word)
		case <-time.After(20 * time.Second):
			require.FailNow(t, "a server waits for the end of a connection that was closed")
		}
	}
	all.Wait()
}
