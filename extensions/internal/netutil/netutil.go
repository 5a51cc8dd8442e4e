// Package netutil recognizes and builds errors of connections, hides passwords in addresses, and
// reads and writes sockets by raw system calls. Package syscall announces each call to the Go
// runtime, which may then wake a monitor thread; that can cost clients of a busy server a quarter
// of their processor time. Sockets of package net never block, so the announcement is not needed.
package netutil

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// IsConnRefused reports whether the other side refused the connection.
func IsConnRefused(err error) bool {
	var number syscall.Errno

	return errors.As(err, &number) && number == errRefused
}

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

// Deadline sets a connection's deadline rarely; setting it for each call costs about 2 % of a
// memcached get. The zero value is ready to use.
type Deadline struct {
	began time.Time
	until time.Duration // the deadline, relative to began; zero for none
}

// Arm ensures that the deadline is between within and 1.01 times within away.
func (d *Deadline) Arm(within time.Duration, set func(time.Time) error) error {
	if d.began.IsZero() {
		d.began = time.Now()
	}
	now := time.Since(d.began)
	if left := d.until - now; left >= within && left <= within+within/100 {
		return nil
	}
	d.until = now + within + within/100

	return set(d.began.Add(d.until))
}

// Forget must be called after the connection's deadline was set elsewhere.
func (d *Deadline) Forget() { d.until = 0 }
