//go:build unix && !portable

package sqlmachbase

import (
	"errors"
	"net"
	"syscall"
)

// isIdle reports, without blocking, whether a connection is open and has no unread bytes, which
// would be its end or an unexpected message.
func isIdle(socket net.Conn) bool {
	system, ok := socket.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := system.SyscallConn()
	if err != nil {
		return false
	}
	var peeked error
	err = raw.Read(func(descriptor uintptr) bool {
		_, _, peeked = syscall.Recvfrom(int(descriptor), make([]byte, 1), syscall.MSG_PEEK)

		return true
	})

	return err == nil && errors.Is(peeked, syscall.EAGAIN)
}
