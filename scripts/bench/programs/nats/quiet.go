//go:build linux

package main

import (
	"fmt"
	"io"
	"net"
	"syscall"
)

// quietDialer makes connections that are read and written without telling the Go runtime that a
// call may take long, as those of k6 are.
type quietDialer struct{}

// Dial implements nats.CustomDialer.
func (quietDialer) Dial(network, address string) (net.Conn, error) {
	conn, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil, fmt.Errorf("%s %s is no TCP connection", network, address)
	}
	raw, err := tcp.SyscallConn()
	c := &quietConn{Conn: conn, raw: raw}
	c.in.step, c.out.step = c.in.read, c.out.write

	return c, err
}

type quietConn struct {
	net.Conn
	raw     syscall.RawConn
	in, out transfer
}

// transfer is a read or a write that is under way.
type transfer struct {
	bytes []byte
	done  int
	errno syscall.Errno
	step  func(socket uintptr) (over bool)
}

func (t *transfer) run(b []byte, ready func(func(uintptr) bool) error) (int, error) {
	t.bytes, t.done, t.errno = b, 0, 0
	err := ready(t.step)
	t.bytes = nil
	if err == nil && t.errno != 0 {
		err = t.errno
	}

	return t.done, err
}

func (t *transfer) read(socket uintptr) bool {
	t.done, t.errno = readSocket(socket, t.bytes)

	return t.errno != syscall.EAGAIN
}

func (t *transfer) write(socket uintptr) bool {
	for t.done < len(t.bytes) {
		n, errno := writeSocket(socket, t.bytes[t.done:])
		if errno == syscall.EAGAIN {
			return false
		}
		if t.errno = errno; errno != 0 {
			return true
		}
		t.done += n
	}

	return true
}

// Read implements net.Conn.
func (c *quietConn) Read(b []byte) (int, error) {
	n, err := c.in.run(b, c.raw.Read)
	if err == nil && n == 0 {
		err = io.EOF
	}

	return n, err
}

// Write implements net.Conn.
func (c *quietConn) Write(b []byte) (int, error) { return c.out.run(b, c.raw.Write) }
