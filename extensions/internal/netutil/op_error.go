package netutil

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// OpError returns the error of a system call on a connection as the package net would.
func OpError(c net.Conn, operation string, err error) error {
	var raw *net.OpError
	if errors.As(err, &raw) {
		err = raw.Err
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		err = os.NewSyscallError(operation, errno)
	}

	return &net.OpError{Op: operation, Net: c.RemoteAddr().Network(), Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: err}
}
