package wire

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const helloOfScript = `INFO {"server_id":"x","headers":true,"jetstream":true,"max_payload":1048576}` + "\r\n"

type scripted struct {
	net.Conn

	// answer is the answer to each request. INBOX stands for the request's inbox.
	answer string
	inside bool
	said   bytes.Buffer
	sent   bytes.Buffer
}

const patient = 5 * time.Second

func (s *scripted) Read(b []byte) (int, error) { return s.said.Read(b) }
func (s *scripted) Write(b []byte) (int, error) {
	if !s.inside {
		s.inside = true
		s.said.WriteString("PONG\r\n")

		return len(b), nil
	}
	for line := range strings.Lines(string(b)) {
		words := strings.FieldsFunc(line, func(r rune) bool { return r < 0x80 && isSpace(r) })
		if len(words) > 2 && strings.HasSuffix(words[0], "PUB") {
			s.said.WriteString(strings.ReplaceAll(s.answer, "INBOX", words[2]))
		}
	}

	return s.sent.Write(b)
}
func (*scripted) SetDeadline(time.Time) error { return nil }
func (*scripted) Close() error                { return nil }
func (*scripted) LocalAddr() net.Addr         { return &net.TCPAddr{} }
func (*scripted) RemoteAddr() net.Addr        { return &net.TCPAddr{} }

func answers(tb testing.TB, answer string) (*Conn, *scripted) {
	tb.Helper()
	s := &scripted{answer: answer}
	s.said.WriteString(helloOfScript)

	return dial(tb, &Config{ConnectTimeout: patient, Address: "script:4222", Dial: func(context.Context, string, string) (net.Conn, error) { return s, nil }}), s
}

func dial(tb testing.TB, cfg *Config) *Conn {
	tb.Helper()
	c, err := Dial(context.Background(), cfg)
	require.NoError(tb, err)
	tb.Cleanup(c.Close)

	return c
}

func requireKind(tb testing.TB, kind string, err error) string {
	tb.Helper()
	e, is := errors.AsType[*Error](err)
	require.True(tb, is, "%v is not an Error", err)
	require.Equal(tb, kind, e.Kind, e.Message)

	return e.Message
}

func message(data string) string { return statementOf("MSG INBOX 1 ", "", data) }

func headed(head, data string) string { return statementOf("HMSG INBOX 1 ", head, data) }

func statementOf(begin, head, data string) string {
	sizes := ""
	if head != "" {
		sizes = decimal(len(head)) + " "
	}

	return begin + sizes + decimal(len(head)+len(data)) + "\r\n" + head + data + "\r\n"
}

func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}

	return decimal(n/10) + string(rune('0'+n%10))
}

func recordHeader(key, further string) string {
	return "NATS/1.0\r\nNats-Stream: KV_b\r\nNats-Subject: $KV.b." + key + "\r\nNats-Sequence: 7\r\n" +
		"Nats-Time-Stamp: 2026-11-25T02:00:00.000000001Z\r\n" + further + "\r\n"
}
