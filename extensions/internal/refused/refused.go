// Package refused detects refused connections on all systems.
package refused

import (
	"errors"
	"syscall"
)

// By reports whether the other side refused the connection.
func By(err error) bool {
	var number syscall.Errno

	return errors.As(err, &number) && number == errRefused
}
