package cmi_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

const (
	kindConnect, kindPrepare, kindExecute, kindDirect, kindFetch, kindFree = 0, 6, 7, 8, 9, 10
	kindOpen, kindData, kindClose                                          = 11, 12, 13

	good = 0x724f4b5f_00000000
	last = 0x724c5354_00000000
	bad  = 0x72434d5f_00000000
)

func packet(kind byte, flag uint32, statement uint32, units ...[]byte) []byte {
	body := bytes.Join(units, nil)
	b := []byte{0, 0, 0, kind}
	b = binary.BigEndian.AppendUint32(b, flag<<30|uint32(len(body)))
	b = binary.BigEndian.AppendUint32(b, statement)

	return append(append(b, 0, 0, 0, 0), body...)
}

func message(kind byte, statement uint32, units ...[]byte) []byte {
	return packet(kind, 0, statement, units...)
}

func rawUnit(id, unitType uint32, number uint64, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, id)
	b = binary.LittleEndian.AppendUint32(b, unitType)
	b = binary.LittleEndian.AppendUint64(b, number)

	return append(b, data...)
}

func number(id uint32, n uint64) []byte { return rawUnit(id, 0x0b, n) }
func signed(id uint32, n int64) []byte  { return rawUnit(id, 0x0a, uint64(n)) }
func small(id uint32, n uint32) []byte  { return rawUnit(id, 0x09, uint64(n)) }
func text(id uint32, s string) []byte   { return sized(id, 2, []byte(s)) }
func binaryUnit(id uint32, b ...byte) []byte {
	return sized(id, 3, b)
}

func sized(id, unitType uint32, b []byte) []byte {
	return append(rawUnit(id, unitType, uint64(len(b)), b...), make([]byte, (8-len(b)%8)%8)...)
}

func result(r uint64) []byte { return number(0x10, r) }

func failed(code uint64, why string) []byte {
	return append(result(bad|code), text(0x11, why)...)
}

func column(name string, t cmi.Type, size uint64) []byte {
	return append(text(0x26, name), number(0x27, uint64(t)<<56|size<<28)...)
}

func parameter(t cmi.Type) []byte { return number(0x29, uint64(t)<<56) }

func oneColumn(r uint64, values ...int64) []byte {
	b := append(result(good), column("N", cmi.Long, 64)...)
	for _, v := range values {
		b = append(b, binaryUnit(0x52, binary.BigEndian.AppendUint64(nil, uint64(v))...)...)
	}

	return append(b, result(r)...)
}

var (
	ready    = []byte("CMI_READY")
	loggedIn = message(kindConnect, 0, result(good), number(0x05, 0))
)

type peer struct {
	net.Conn

	t *testing.T
}

func (p *peer) request() []byte {
	var b []byte
	for {
		header := make([]byte, 16)
		if _, err := io.ReadFull(p, header); !assert.NoError(p.t, err) {
			return b
		}
		lengthAndFlag := binary.BigEndian.Uint32(header[4:])
		body := make([]byte, lengthAndFlag&(1<<30-1))
		if _, err := io.ReadFull(p, body); !assert.NoError(p.t, err) {
			return b
		}
		b = append(append(b, header...), body...)
		if flag := lengthAndFlag >> 30; flag == 0 || flag == 3 {
			return b
		}
	}
}

func (p *peer) expect(want []byte) {
	assert.Equal(p.t, want, p.request())
}

func (p *peer) answer(b ...[]byte) {
	_, err := p.Write(bytes.Join(b, nil))
	assert.NoError(p.t, err)
}

func (p *peer) expectFree(statement uint32) {
	p.expect(message(kindFree, statement, number(0x60, uint64(statement))))
	p.answer(message(kindFree, statement, result(good)))
}

func (p *peer) hello() {
	hello := make([]byte, 9)
	_, err := io.ReadFull(p, hello)
	assert.NoError(p.t, err)
	assert.Equal(p.t, "CMI_INET0", string(hello))
	p.answer(ready)
}

func (p *peer) welcome() {
	p.hello()
	p.request()
	p.answer(loggedIn)
}

func sockets(t *testing.T) ends {
	t.Helper()

	return func() (client, server net.Conn) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer listener.Close()
		client, err = net.Dial("tcp", listener.Addr().String())
		require.NoError(t, err)
		server, err = listener.Accept()
		require.NoError(t, err)

		return client, server
	}
}

type ends func() (client, server net.Conn)

func dialPeer(t *testing.T, pair ends, script func(p *peer)) func(context.Context, string, string) (net.Conn, error) {
	t.Helper()

	return func(context.Context, string, string) (net.Conn, error) {
		client, server := pair()
		done := make(chan struct{})
		go func() {
			defer close(done)
			script(&peer{server, t})
			_, _ = server.Read(make([]byte, 1))
			_ = server.Close()
		}()
		t.Cleanup(func() {
			_ = client.Close()
			<-done
		})

		return client, nil
	}
}

func withPeer(t *testing.T, config cmi.Config, script func(p *peer)) *cmi.Conn {
	t.Helper()

	return withPeerOver(t, net.Pipe, config, script)
}

func withPeerOver(t *testing.T, pair ends, config cmi.Config, script func(p *peer)) *cmi.Conn {
	t.Helper()
	config.Addresses, config.User, config.Password = []string{"peer:1"}, "sys", "manager"
	config.Dial = dialPeer(t, pair, func(p *peer) {
		p.welcome()
		script(p)
	})

	return connectTo(t, config)
}

type replay struct {
	io.Reader
	net.Conn
}

func (r replay) Read(b []byte) (int, error)       { return r.Reader.Read(b) }
func (replay) Write(b []byte) (int, error)        { return len(b), nil }
func (replay) Close() error                       { return nil }
func (replay) SetReadDeadline(_ time.Time) error  { return nil }
func (replay) SetWriteDeadline(_ time.Time) error { return nil }

func withReplay(t *testing.T, says io.Reader) *cmi.Conn {
	t.Helper()
	c, err := cmi.Connect(context.Background(), cmi.Config{Addresses: []string{"replay:1"}, Dial: func(context.Context, string, string) (net.Conn, error) {
		return replay{Reader: io.MultiReader(bytes.NewReader(ready), bytes.NewReader(loggedIn), says)}, nil
	}})
	require.NoError(t, err)

	return c
}

func bigFloat(f float64) []byte { return binary.BigEndian.AppendUint64(nil, math.Float64bits(f)) }
