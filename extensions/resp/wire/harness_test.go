package wire

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type scripted struct {
	net.Conn // nil: its other methods are not called

	says io.Reader
	told bytes.Buffer
}

func (s *scripted) Read(b []byte) (int, error)       { return s.says.Read(b) }
func (s *scripted) Write(b []byte) (int, error)      { return s.told.Write(b) }
func (s *scripted) SetDeadline(time.Time) error      { return nil }
func (s *scripted) SetReadDeadline(time.Time) error  { return nil }
func (s *scripted) SetWriteDeadline(time.Time) error { return nil }
func (s *scripted) Close() error                     { return nil }

type inTwo struct{ first, then io.Reader }

func (r *inTwo) Read(b []byte) (int, error) {
	if n, err := r.first.Read(b); n > 0 || err != io.EOF {
		return n, err
	}

	return r.then.Read(b)
}

func connected(tb testing.TB, says io.Reader) (*Conn, *scripted) {
	tb.Helper()
	server := &scripted{says: &inTwo{strings.NewReader("+PONG\r\n"), says}}
	c, err := Dial(context.Background(), &Config{
		Network: "tcp", Address: "server:1", Timeout: time.Minute, ConnectTimeout: time.Minute,
		Dial: func(context.Context, string, string) (net.Conn, error) { return server, nil },
	})
	require.NoError(tb, err)
	server.told.Reset()

	return c, server
}

func words(all ...string) string {
	var b strings.Builder
	b.WriteString("*" + itoa(len(all)) + "\r\n")
	for _, word := range all {
		b.WriteString(bulk(word))
	}

	return b.String()
}

func bulk(text string) string { return "$" + itoa(len(text)) + "\r\n" + text + "\r\n" }
