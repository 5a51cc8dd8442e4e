// Package refused tells that nobody listens at an address, as each system says it.
package refused

import (
	"errors"
	"syscall"
)

// By is whether err says that the other side refused the connection.
func By(err error) bool {
	var number syscall.Errno

	return errors.As(err, &number) && number == errRefused
}
