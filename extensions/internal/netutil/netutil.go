// Package netutil recognizes and builds errors of connections.
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
