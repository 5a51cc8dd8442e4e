package k6x

import (
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext"
	"go.k6.io/k6/v2/lib/types"
)

// answering returns the address of a listener whose connections have bytes to read from the start.
func answering(t *testing.T, bytes int) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write(make([]byte, bytes))
			go func() {
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
			}()
		}
	}()

	return listener.Addr().String()
}

// turns counts the operations during which a busy second goroutine could run. An operation writes a
// byte and reads its answer in two parts.
func turns(t *testing.T, conn net.Conn, operations int) (turns int) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var others atomic.Int64
	var over atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		for !over.Load() {
			others.Add(1)
			runtime.Gosched()
		}
	})
	defer group.Wait()
	defer over.Store(true)
	answer := make([]byte, 1)
	for range operations {
		before := others.Load()
		_, err := conn.Write([]byte{0})
		require.NoError(t, err)
		for range 2 {
			_, err = conn.Read(answer)
			require.NoError(t, err)
		}
		if others.Load() > before {
			turns++
		}
	}

	return turns
}

func TestTakeTurns(t *testing.T) {
	const operations = 50
	address := answering(t, 2*operations)
	dialer := netext.NewDialer(net.Dialer{}, netext.NewResolver(net.LookupIP, 0, types.DNSfirst, types.DNSpreferIPv4))
	state := &lib.State{Dialer: dialer}
	TakeTurns(state)
	TakeTurns(state)
	require.Equal(t, &turnDialer{dialer}, state.Dialer, "once, however many steps the VU is a client of")

	conn, err := state.Dialer.DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	require.IsType(t, &netext.Conn{}, conn)
	require.Greater(t, turns(t, conn, operations), operations/2, "Go's scheduler takes the same one again; else it is 2 at most")
	require.EqualValues(t, operations, dialer.BytesWritten)
	require.EqualValues(t, 2*operations, dialer.BytesRead)

	ip, port, err := state.GetAddrResolver().ResolveAddr("127.0.0.1:80")
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1", ip.String())
	require.Equal(t, 80, port)

	_, err = state.Dialer.DialContext(t.Context(), "tcp", "127.0.0.1:1")
	require.Error(t, err)
}

func TestDialTakesNoTurns(t *testing.T) {
	address := answering(t, 1)
	state := &lib.State{Dialer: netext.NewDialer(net.Dialer{}, nil)}
	TakeTurns(state)
	conn, err := Dial(&modulestest.VU{CtxField: t.Context(), StateField: state})(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	require.IsType(t, &net.TCPConn{}, conn)
}

func TestTakeTurnsWithoutAState(t *testing.T) {
	require.NotPanics(t, func() { TakeTurns(nil) })
}
