// Package netutil recognizes and builds errors of connections, hides passwords in addresses, and
// reads and writes sockets by raw system calls. Package syscall announces each call to the Go
// runtime, which may then wake a monitor thread; that can cost clients of a busy server a quarter
// of their processor time. Sockets of package net never block, so the announcement is not needed.
package netutil

import (
	"errors"
	"syscall"
)

// IsConnRefused reports whether the other side refused the connection.
func IsConnRefused(err error) bool {
	var number syscall.Errno

	return errors.As(err, &number) && number == errRefused
}
