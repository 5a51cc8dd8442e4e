package cmi_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func version(major, minor, fix uint64) []byte { return number(0x01, major<<48|minor<<32|fix) }

func logIn(t *testing.T, answer ...[]byte) (*cmi.Conn, error) {
	t.Helper()
	config := cmi.Config{Addresses: []string{"peer:1"}, User: "sys", Password: "manager", Dial: dialPeer(t, net.Pipe, func(p *peer) {
		p.hello()
		p.request()
		p.answer(message(kindConnect, 0, answer...))
	})}

	return cmi.Connect(withTimeout(t), config)
}

func TestConnectToAServerOfAnotherProtocolNamesBoth(t *testing.T) {
	refused := failed(2001, "Protocol version mismatch")
	for name, answer := range map[string][][]byte{
		"that lets us in":   {version(5, 1, 7), result(good)},
		"that refuses us":   append([][]byte{version(5, 1, 7)}, refused),
		"that says it last": {refused, version(5, 1, 7)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := logIn(t, answer...)
			requireKind(t, cmi.KindConnect, err)
			require.ErrorContains(t, err,
				"peer:1 has an unsupported protocol (the server speaks version 5.1.7 of Machbase's native protocol, and this client 4.0.2)")
		})
	}
}

func TestConnectToALaterFixOfTheProtocol(t *testing.T) {
	c, err := logIn(t, version(4, 0, 3), result(good), number(0x05, 0))
	require.NoError(t, err)
	require.NoError(t, c.Close())
}

func TestGarbageOfALaterFixOfTheProtocolNamesBoth(t *testing.T) {
	config := cmi.Config{Addresses: []string{"peer:1"}, User: "sys", Password: "manager", Dial: dialPeer(t, net.Pipe, func(p *peer) {
		p.hello()
		p.request()
		p.answer(message(kindConnect, 0, version(4, 0, 3), result(good)))
		p.request()
		p.answer(message(kindDirect, 0, []byte("garbage")))
	})}
	c, err := cmi.Connect(withTimeout(t), config)
	require.NoError(t, err)
	_, err = c.Query(withTimeout(t), "select 1")
	requireKind(t, cmi.KindProtocol, err)
	require.ErrorContains(t, err, "(the server speaks version 4.0.3 of Machbase's native protocol, and this client 4.0.2)")
}

func TestConnectToAServerThatWantsAKey(t *testing.T) {
	_, err := logIn(t, version(4, 0, 2), result(good), binaryUnit(0x0c, make([]byte, 32)...))
	requireKind(t, cmi.KindAuth, err)
	require.ErrorContains(t, err, "peer:1 requires sys to log in with a key, but this client supports only passwords")
}

func TestConnectToOtherProtocol(t *testing.T) {
	config := cmi.Config{Addresses: []string{"peer:1"}, Dial: dialPeer(t, net.Pipe, func(p *peer) {
		_, _ = p.Read(make([]byte, 9))
		p.answer([]byte("HTTP/1.1 "))
	})}
	_, err := cmi.Connect(withTimeout(t), config)
	requireKind(t, cmi.KindConnect, err)
	require.ErrorContains(t, err, `peer:1 answers "HTTP/1.1 ", not "CMI_READY"`)
	require.ErrorContains(t, err, "this client's (CMI 4.0.2)")
}
