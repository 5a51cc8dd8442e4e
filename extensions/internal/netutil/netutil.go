// Package netutil detects refused connections on all systems.
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
