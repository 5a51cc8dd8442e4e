package wire

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type said struct {
	line, subject, reply string
}

func server(t *testing.T, serve func(conn net.Conn, s said)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer func() { _ = conn.Close() }()
				serveLines(conn, serve)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		work.Wait()
	})

	return listener.Addr().String()
}

func serveLines(conn net.Conn, serve func(conn net.Conn, s said)) {
	_, _ = io.WriteString(conn, helloOfScript)
	inside := false
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		s := said{line: lines.Text()}
		if !inside && s.line == "PING" {
			inside = true
			_, _ = io.WriteString(conn, "PONG\r\n")

			continue
		}
		if words := strings.Fields(s.line); len(words) > 2 && strings.HasSuffix(words[0], "PUB") {
			s.subject, s.reply = words[1], words[2]
		}
		if inside {
			serve(conn, s)
		}
	}
}

const soon = 50 * time.Millisecond

// The second timeout without any answer breaks the connection. The first may be the fault of the
// service that should answer.
func TestServerFallsSilent(t *testing.T) {
	c := dial(t, &Config{ConnectTimeout: patient, Address: server(t, func(net.Conn, said) {})})
	for _, broken := range []bool{false, true} {
		_, err := c.Request("a", nil, nil, soon)
		require.Equal(t, "no answer within timeout (50ms)", requireKind(t, KindTimeout, err))
		require.Equal(t, broken, c.Broken())
	}
}

func TestServiceFallsSilent(t *testing.T) {
	var asked atomic.Int64
	c := dial(t, &Config{ConnectTimeout: patient, Address: server(t, func(conn net.Conn, s said) {
		if s.line == "PING" {
			asked.Add(1)
			_, _ = io.WriteString(conn, "PONG\r\n")
		}
	})})
	for range 3 {
		_, err := c.Request("a", nil, nil, 10*soon)
		requireKind(t, KindTimeout, err)
		require.False(t, c.Broken())
	}
	require.NoError(t, c.Check(time.Minute))
	require.Equal(t, int64(3), asked.Load(), "before each but the first, and by Check")
}

func TestLateAnswer(t *testing.T) {
	var first string
	c := dial(t, &Config{ConnectTimeout: patient, Address: server(t, func(conn net.Conn, s said) {
		switch s.subject {
		case "first":
			first = s.reply
		case "second":
			_, _ = io.WriteString(conn, "MSG "+first+" 1 5\r\nfirst\r\nMSG "+s.reply+" 1 6\r\nsecond\r\n")
		}
	})})
	_, err := c.Request("first", nil, nil, soon)
	requireKind(t, KindTimeout, err)
	m, err := c.Request("second", nil, nil, time.Minute)
	require.NoError(t, err)
	require.Equal(t, "second", string(m.Data))
}

func TestAnswerInParts(t *testing.T) {
	c := dial(t, &Config{ConnectTimeout: patient, Address: server(t, func(conn net.Conn, s said) {
		switch s.subject {
		case "first":
			_, _ = io.WriteString(conn, "MSG "+s.reply+" 1 10\r\nhalf")
		case "second":
			_, _ = io.WriteString(conn, "of it.\r\nMSG "+s.reply+" 1 2\r\nok\r\n")
		}
	})})
	_, err := c.Request("first", nil, nil, soon)
	requireKind(t, KindTimeout, err)
	m, err := c.Request("second", nil, nil, time.Minute)
	require.NoError(t, err)
	require.Equal(t, "ok", string(m.Data))
}

func TestInterrupt(t *testing.T) {
	reached := make(chan struct{})
	c := dial(t, &Config{ConnectTimeout: patient, Address: server(t, func(_ net.Conn, s said) {
		if s.subject != "" {
			close(reached)
		}
	})})
	go func() {
		<-reached
		c.Interrupt()
	}()
	_, err := c.Request("a", nil, nil, time.Hour)
	requireKind(t, KindCancelled, err)
	require.True(t, c.Broken())
	_, err = c.Request("a", nil, nil, time.Hour)
	requireKind(t, KindConnection, err)
	requireKind(t, KindConnection, c.Check(time.Hour))
}

func TestLargeAnswer(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", 1<<16)
	c := dial(t, &Config{ConnectTimeout: patient, Address: server(t, func(conn net.Conn, s said) {
		if s.subject != "" {
			_, _ = io.WriteString(conn, "MSG "+s.reply+" 1 1048576\r\n"+large+"\r\n")
		}
	})})
	for range 3 {
		m, err := c.Request("a", nil, nil, time.Minute)
		require.NoError(t, err)
		require.Equal(t, large, string(m.Data))
	}
	require.LessOrEqual(t, len(c.in.buffer), 4<<20)
}

func TestConnectingThatFails(t *testing.T) {
	says := func(answer string) string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(conn, answer)
				if answer != "" {
					_, _ = io.Copy(io.Discard, conn)
				}
				_ = conn.Close()
			}
		}()

		return listener.Addr().String()
	}
	for answer, want := range map[string]string{
		"": "the server closed it", "PING\r\n": "the server does not begin with INFO", "HTTP/1.1 400\r\n\r\n": "violates the protocol",
		"INFO {\r\n":  "the server's INFO cannot be read",
		"INFO {}\r\n": "no answer within connectTimeout (50ms)",
	} {
		_, err := Dial(context.Background(), &Config{Address: says(answer), ConnectTimeout: soon})
		require.Contains(t, requireKind(t, KindConnect, err), want)
	}
	_, err := Dial(context.Background(), &Config{Address: says("-ERR 'maximum connections exceeded'\r\n"), ConnectTimeout: soon})
	require.Contains(t, requireKind(t, KindBusy, err), "maximum connections exceeded")
	_, err = Dial(context.Background(), &Config{ConnectTimeout: patient, Address: says(helloOfScript), Secure: true})
	require.Contains(t, requireKind(t, KindConnect, err), "the server has no TLS")
	refuses := errors.New("no key")
	_, err = Dial(context.Background(), &Config{ConnectTimeout: patient, Address: says(helloOfScript), Sign: func([]byte) ([]byte, error) { return nil, refuses }})
	require.ErrorContains(t, err, "cannot be signed: no key")
	_, err = Dial(context.Background(), &Config{ConnectTimeout: patient, Address: says(helloOfScript), JWT: func() (string, error) { return "", refuses }})
	require.ErrorContains(t, err, "no key")
	_, err = Dial(context.Background(), &Config{ConnectTimeout: patient, Address: "127.0.0.1:1"})
	require.Equal(t, "cannot connect to 127.0.0.1:1: connection refused; is a nats-server running there?", requireKind(t, KindConnect, err))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Dial(ctx, &Config{ConnectTimeout: patient, Address: says(helloOfScript)})
	requireKind(t, KindCancelled, err)
}
