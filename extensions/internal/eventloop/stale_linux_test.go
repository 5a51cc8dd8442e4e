//go:build !portable

package eventloop

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func connected(t *testing.T) (client *Conn, server net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	inner, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	server, err = listener.Accept()
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = inner.Close()
		_ = server.Close()
	})

	return NewConn(inner), server
}

// A pending event of a closed connection must not reach the next connection in its slot. Otherwise
// the new connection would look closed by the server, and reads would spin until their deadline.
func TestPendingEventOfClosedConnection(t *testing.T) {
	var loops Loops
	first, firstServer := connected(t)
	ends, endsServer := connected(t)
	next, nextServer := connected(t)
	other, otherServer := connected(t)
	b := make([]byte, 8) // longer than the answer, so that the next read waits
	said := func(server net.Conn) {
		_, err := server.Write([]byte{1})
		require.NoError(t, err)
	}

	answer := make(chan struct{})
	go func() { // arrives after the other client's turn
		<-answer
		_, _ = nextServer.Write([]byte{1})
	}()
	seat, otherSeat := loops.Seat(), loops.Seat()
	over := make(chan error, 2)
	go func() {
		over <- seat.Do(0, func() error {
			for _, c := range []*Conn{first, ends, next} {
				c.Use(seat)
			}
			said(firstServer)
			said(endsServer)
			for _, c := range []*Conn{first, ends} {
				if _, err := c.Read(b); err != nil {
					return err
				}
			}
			said(firstServer)
			require.NoError(t, endsServer.Close())
			time.Sleep(20 * time.Millisecond) // delays the loop until both events are pending
			if _, err := first.Read(b); err != nil {
				return err
			}
			if err := ends.Close(); err != nil {
				return err
			}
			if err := next.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
				return err
			}
			said(otherServer)
			_, err := next.Read(b)

			return err
		})
	}()
	go func() {
		over <- otherSeat.Do(0, func() error {
			other.Use(otherSeat)
			_, err := io.ReadFull(other, make([]byte, 1))
			close(answer)

			return err
		})
	}()
	for range 2 {
		require.NoError(t, <-over)
	}
}
