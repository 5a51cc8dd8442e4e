//go:build !portable

package eventloop_test

import (
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

// answered returns a connection that has already received answers bytes.
func answered(t *testing.T, answers int) *eventloop.Conn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	raw, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	server, err := listener.Accept()
	require.NoError(t, err)
	_, err = server.Write(make([]byte, answers))
	require.NoError(t, err)
	conn := eventloop.NewConn(raw)
	t.Cleanup(func() {
		_ = conn.Close()
		_ = server.Close()
	})

	return conn
}

// crowd keeps more connections open than there are processors.
func crowd(t *testing.T) {
	t.Helper()
	for range runtime.GOMAXPROCS(0) + 1 {
		client, server := net.Pipe()
		conn := eventloop.NewConn(client)
		t.Cleanup(func() {
			_ = conn.Close()
			_ = server.Close()
		})
	}
}

// turnsOfOthers counts the calls during which a busy second goroutine could run.
func turnsOfOthers(t *testing.T, calls int, call func() error) (turns int) {
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
	runtime.Gosched()
	for range calls {
		before := others.Load()
		require.NoError(t, call())
		if others.Load() > before {
			turns++
		}
	}

	return turns
}

// A client on its own goroutine yields after each operation, however fast the server is.
func TestYieldOnGoroutines(t *testing.T) {
	const operations = 50
	crowd(t)
	conn := answered(t, operations)
	turns := turnsOfOthers(t, operations, func() error {
		b := []byte{0}
		if _, err := conn.Write(b); err != nil {
			return err
		}
		_, err := conn.Read(b)

		return err
	})
	require.Greater(t, turns, operations*3/4, "Go's scheduler takes somebody else now and then")
}

// Reading an answer in parts yields only once.
func TestPartsOfAnAnswerYieldOnce(t *testing.T) {
	const answers, parts = 20, 10
	crowd(t)
	conn := answered(t, answers*parts)
	read := 0
	turns := turnsOfOthers(t, answers*parts, func() error {
		if read%parts == 0 {
			if _, err := conn.Write([]byte{0}); err != nil {
				return err
			}
		}
		read++
		_, err := conn.Read([]byte{0})

		return err
	})
	require.Greater(t, turns, answers/2, "Go's scheduler takes somebody else now and then")
	require.Less(t, turns, answers*parts/2, "but for those that a busy machine has brought about")
}
