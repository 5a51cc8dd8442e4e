package nats

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// liar is the URL of a server that answers the first subscription with what it is told to say.
func liar(t *testing.T, says string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			lie(t, conn, says)
		}
	}()
	t.Cleanup(func() {
		assert.NoError(t, listener.Close())
		<-served
	})

	return "nats://" + listener.Addr().String()
}

func lie(t *testing.T, conn net.Conn, says string) {
	t.Helper()
	defer conn.Close()
	if _, err := fmt.Fprint(conn, `INFO {"server_id":"liar","version":"2.12.0","headers":true,"max_payload":1048576}`+"\r\n"); err != nil {
		return
	}
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		answer := ""
		switch word, _, _ := strings.Cut(lines.Text(), " "); word {
		case "PING":
			answer = "PONG\r\n"
		case "SUB":
			answer = says
		}
		if _, err := fmt.Fprint(conn, answer); err != nil {
			return
		}
	}
}

// A server that announces more than there can be ends the connection, and nothing else.
func TestSizesThatLie(t *testing.T) {
	for _, size := range []string{"4611686018427387904", "9223372036854775807", "99999999"} {
		v := newVU(t)
		require.NoError(t, v.runtime.Set("liar", liar(t, "HMSG a 1 12 "+size+"\r\nx")))
		v.run(`var client = new nats.Client(liar, { timeout: '10s', maxReconnects: 0 })`)
		e := v.fail(`client.request('a', 'x')`)
		require.Equal(t, KindConnection, e.Kind, e.Message)
		require.Contains(t, e.Message, "the connection is closed: the server announces a message of "+size+" bytes")
		v.CancelContext()
	}
}
