//go:build !portable

package netutil

import (
	"io"
	"net"
	"syscall"
)

// most is the size in bytes from which a call goes through package net. Copying that much would
// block the thread for long.
const most = 64 << 10

// RawConn wraps a net.Conn with a socket to read and write it by raw system calls; others are
// returned unchanged. At most one goroutine may read, and one may write, at a time. Errors are
// those of package net.
func RawConn(inner net.Conn) net.Conn {
	system, ok := inner.(syscall.Conn)
	if !ok {
		return inner
	}
	raw, err := system.SyscallConn()
	if err != nil {
		return inner
	}
	c := &conn{Conn: inner, raw: raw}
	c.in.step, c.out.step = c.in.read, c.out.write

	return c
}

type conn struct {
	net.Conn

	raw     syscall.RawConn
	in, out transfer
}

type transfer struct {
	bytes []byte
	done  int
	errno syscall.Errno
	step  func(socket uintptr) (over bool)
}

// NetConn returns the wrapped connection, like tls.Conn's method.
func (c *conn) NetConn() net.Conn { return c.Conn }

func (c *conn) SyscallConn() (syscall.RawConn, error) { return c.raw, nil }

func (c *conn) Read(b []byte) (int, error) {
	if len(b) == 0 || len(b) > most {
		return c.Conn.Read(b)
	}
	n, err := c.in.run(b, c.raw.Read)
	switch {
	case err != nil:
		return n, OpError(c, "read", err)
	case n == 0:
		return 0, io.EOF
	}

	return n, nil
}

func (c *conn) Write(b []byte) (int, error) {
	if len(b) == 0 || len(b) > most {
		return c.Conn.Write(b)
	}
	n, err := c.out.run(b, c.raw.Write)
	if err != nil {
		return n, OpError(c, "write", err)
	}

	return n, nil
}

func (t *transfer) run(b []byte, ready func(func(uintptr) bool) error) (int, error) {
	t.bytes, t.done, t.errno = b, 0, 0
	err := ready(t.step)
	t.bytes = nil // do not keep the caller's memory
	if err == nil && t.errno != 0 {
		err = t.errno
	}

	return t.done, err
}

func (t *transfer) read(socket uintptr) bool {
	n, errno := RawRead(socket, t.bytes)
	if errno == syscall.EAGAIN {
		return false
	}
	t.done, t.errno = n, errno

	return true
}

func (t *transfer) write(socket uintptr) bool {
	for t.done < len(t.bytes) {
		n, errno := RawWrite(socket, t.bytes[t.done:])
		if errno == syscall.EAGAIN {
			return false
		}
		if errno != 0 {
			t.errno = errno

			return true
		}
		t.done += n
	}

	return true
}
