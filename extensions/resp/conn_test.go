package resp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

// reply has go-redis read a key's value from a server that says so.
func reply(t *testing.T, says func(io.Writer)) (string, error) {
	t.Helper()
	ours, servers := net.Pipe()
	go func() {
		defer servers.Close()
		for lines := bufio.NewScanner(servers); lines.Scan(); {
			switch strings.ToLower(lines.Text()) {
			case "get":
				says(servers)

				return
			case "hello":
				_, _ = io.WriteString(servers, "-ERR unknown command\r\n")
			}
		}
	}()
	client := redis.NewClient(&redis.Options{
		Protocol: 2, DisableIdentity: true, MaxRetries: -1, ReadTimeout: 20 * time.Second,
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			return &conn{Conn: ours, replies: &wire.Bounds{}}, nil
		},
	})
	defer client.Close()

	return client.Get(t.Context(), "k").Result()
}

// A server that announces a long string and does not send it gets no room for it.
func TestLongStringsThatDoNotCome(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := reply(t, func(w io.Writer) { _, _ = fmt.Fprintf(w, "$%d\r\nx", wire.MaxBulk) })
	require.ErrorContains(t, err, "EOF")
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(wire.MaxBulk/8))
}

func TestLongStringsThatCome(t *testing.T) {
	for _, size := range []int{atOnce - 2, atOnce - 1, atOnce + 1, 5 * atOnce} {
		want := strings.Repeat("0123456789abcde\n", size/16+1)[:size]
		got, err := reply(t, func(w io.Writer) {
			_, _ = fmt.Fprintf(w, "$%d", size)
			_, _ = fmt.Fprintf(w, "\r\n%s\r\n", want)
		})
		require.NoError(t, err)
		require.True(t, got == want, size)
	}
}

// A client keeps two buffers: what go-redis gives them by itself is a fifth of all that it keeps.
func TestBuffersAreSmall(t *testing.T) {
	n := &node{server: &server{Network: "tcp", Address: "127.0.0.1:1"}, config: &Config{Timeout: time.Second}}
	client := n.newClient()
	defer client.Close()
	require.LessOrEqual(t, client.Options().ReadBufferSize, 16<<10)
	require.LessOrEqual(t, client.Options().WriteBufferSize, 16<<10)
}
