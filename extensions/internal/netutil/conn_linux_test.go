//go:build !portable

package netutil_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
)

func pair(t *testing.T, network, address string) (client, server net.Conn) {
	t.Helper()
	listener, err := net.Listen(network, address)
	require.NoError(t, err)
	defer listener.Close()
	raw, err := net.Dial(network, listener.Addr().String())
	require.NoError(t, err)
	server, err = listener.Accept()
	require.NoError(t, err)
	client = netutil.RawConn(raw)
	require.Equal(t, raw, client.(interface{ NetConn() net.Conn }).NetConn())
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
	})

	return client, server
}

type ends struct {
	t              *testing.T
	client, server net.Conn
}

func each(t *testing.T, test func(ends)) {
	t.Helper()
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "socket")} {
		t.Run(network, func(t *testing.T) {
			client, server := pair(t, network, address)
			test(ends{t, client, server})
		})
	}
}

func TestBytesBothWays(t *testing.T) {
	each(t, func(e ends) {
		t, client, server := e.t, e.client, e.server
		go func() {
			_, _ = io.Copy(server, server)
		}()
		for _, size := range []int{1, 100, 4 << 10, 64 << 10, 64<<10 + 1, 3 << 20} {
			sent := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
			var group sync.WaitGroup
			group.Go(func() {
				n, err := client.Write(sent)
				if err != nil || n != size {
					t.Errorf("%d of %d bytes written: %v", n, size, err)
				}
			})
			received := make([]byte, size)
			_, err := io.ReadFull(client, received)
			require.NoError(t, err)
			require.True(t, bytes.Equal(sent, received), "%d bytes are others", size)
			group.Wait()
		}
	})
}

// A write to a slow reader is completed.
func TestWriteWaitsForRoom(t *testing.T) {
	each(t, func(e ends) {
		t, client, server := e.t, e.client, e.server
		const pieces, size = 200, 60 << 10
		var group sync.WaitGroup
		group.Go(func() {
			for i := range pieces {
				n, err := client.Write(bytes.Repeat([]byte{byte(i)}, size))
				if err != nil || n != size {
					t.Errorf("%d of %d bytes written: %v", n, size, err)
				}
			}
			_ = client.Close()
		})
		received, err := io.ReadAll(server)
		require.NoError(t, err)
		require.Len(t, received, pieces*size)
		for i, b := range received {
			if b != byte(i/size) {
				require.Equal(t, byte(i/size), b, "byte %d", i)
			}
		}
		group.Wait()
	})
}

func TestErrorsMatchPackageNet(t *testing.T) {
	alike := func(t *testing.T, plain, own error) {
		t.Helper()
		var p, o *net.OpError
		require.ErrorAs(t, plain, &p)
		require.ErrorAs(t, own, &o)
		require.Equal(t, p.Op, o.Op)
		require.Equal(t, p.Net, o.Net)
		require.Equal(t, p.Err.Error(), o.Err.Error())
		require.Equal(t, p.Timeout(), o.Timeout())
	}
	buffer := make([]byte, 10)
	each(t, func(e ends) {
		t, client, server := e.t, e.client, e.server
		past := time.Now().Add(10 * time.Millisecond)
		require.NoError(t, client.SetReadDeadline(past))
		require.NoError(t, server.SetReadDeadline(past))
		_, plain := server.Read(buffer)
		_, own := client.Read(buffer)
		require.ErrorIs(t, own, os.ErrDeadlineExceeded)
		alike(t, plain, own)

		require.NoError(t, client.SetDeadline(time.Unix(1, 0)))
		require.NoError(t, server.SetDeadline(time.Unix(1, 0)))
		_, plain = server.Write(buffer)
		_, own = client.Write(buffer)
		require.ErrorIs(t, own, os.ErrDeadlineExceeded)
		alike(t, plain, own)

		require.NoError(t, server.Close())
		require.NoError(t, client.SetDeadline(time.Time{}))
		n, err := client.Read(buffer)
		require.Zero(t, n)
		require.Equal(t, io.EOF, err)
		require.Eventually(t, func() bool { _, err = client.Write(buffer); return err != nil }, 10*time.Second, time.Millisecond)
		var errno syscall.Errno
		require.ErrorAs(t, err, &errno)
		require.Contains(t, []syscall.Errno{syscall.EPIPE, syscall.ECONNRESET}, errno)

		require.NoError(t, client.Close())
		_, plain = server.Read(buffer)
		_, own = client.Read(buffer)
		require.ErrorIs(t, own, net.ErrClosed)
		alike(t, plain, own)
		_, own = client.Write(buffer)
		require.ErrorIs(t, own, net.ErrClosed)
	})
}

func TestClosingAndDeadlinesInterrupt(t *testing.T) {
	for name, interrupt := range map[string]func(net.Conn) error{
		"close":    net.Conn.Close,
		"deadline": func(c net.Conn) error { return c.SetDeadline(time.Unix(1, 0)) },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(e ends) {
				t, client := e.t, e.client
				failed := make(chan error, 2)
				go func() { _, err := client.Read(make([]byte, 1)); failed <- err }()
				go func() {
					for {
						if _, err := client.Write(make([]byte, 60<<10)); err != nil { // fills the buffers of an unread connection
							failed <- err

							return
						}
					}
				}()
				time.AfterFunc(20*time.Millisecond, func() { _ = interrupt(client) })
				for range 2 {
					select {
					case err := <-failed:
						require.Error(t, err)
					case <-time.After(10 * time.Second):
						require.Fail(t, "a call goes on")
					}
				}
			})
		})
	}
}

func TestOtherConnectionsAreUnchanged(t *testing.T) {
	one, other := net.Pipe()
	defer one.Close()
	defer other.Close()
	require.Equal(t, one, netutil.RawConn(one))
}

func TestNothingIsAllocated(t *testing.T) {
	client, server := pair(t, "tcp", "127.0.0.1:0")
	go func() { _, _ = io.Copy(server, server) }()
	buffer := make([]byte, 100)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if _, err := client.Write(buffer); err != nil {
			t.Error(err)
		}
		if _, err := io.ReadFull(client, buffer); err != nil {
			t.Error(err)
		}
	}))
}
