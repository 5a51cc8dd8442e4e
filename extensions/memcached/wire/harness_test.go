package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

var protocols = map[string]wire.Protocol{"text": wire.Text, "meta": wire.Meta}

func dial(tb testing.TB, cfg wire.Config) *wire.Conn {
	tb.Helper()
	c, err := wire.Dial(context.Background(), &cfg)
	require.NoError(tb, err)
	tb.Cleanup(c.Close)

	return c
}

var keys atomic.Int64

func newKey() []byte { return fmt.Appendf(nil, "wire-test-%d-%d", os.Getpid(), keys.Add(1)) }

func do(tb testing.TB, c *wire.Conn, q wire.Request) wire.Reply {
	tb.Helper()
	var a wire.Reply
	require.NoError(tb, c.Do(&q, &a))

	return a
}

func requireKind(tb testing.TB, kind string, err error) *wire.Error {
	tb.Helper()
	var e *wire.Error
	require.True(tb, errors.As(err, &e), "%v is not an Error", err)
	require.Equal(tb, kind, e.Kind, e.Message)

	return e
}

func values() map[string][]byte {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}

	return map[string][]byte{
		"empty": {}, "one byte": {'x'}, "line ends": []byte("\r\nEND\r\nVALUE a 0 1\r\n\r\n"), "zeros": make([]byte, 1000),
		"every byte": every, "1 MB": bytes.Repeat([]byte("\r\n\x00\xff0123456789abcdef"), 50_000),
	}
}

func answers(tb testing.TB, protocol wire.Protocol, said string, maxValue int) (c *wire.Conn, sent *bytes.Buffer) {
	tb.Helper()
	script := &scripted{said: bytes.NewBufferString(said)}
	there := func(context.Context, string, string) (net.Conn, error) { return script, nil }

	return dial(tb, wire.Config{Address: "script", Protocol: protocol, Dial: there, MaxValue: maxValue}), &script.sent
}

type scripted struct {
	net.Conn

	said *bytes.Buffer
	sent bytes.Buffer
}

func (s *scripted) Read(b []byte) (int, error)  { return s.said.Read(b) }
func (s *scripted) Write(b []byte) (int, error) { return s.sent.Write(b) }
func (*scripted) SetDeadline(time.Time) error   { return nil }
func (*scripted) Close() error                  { return nil }
