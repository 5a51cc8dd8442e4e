//go:build race

package quiet

import "syscall"

// Read is syscall.Read: the race detector needs to know that what one end of a connection sent, the other has received.
func Read(socket uintptr, b []byte) (int, syscall.Errno) { return plain(syscall.Read(int(socket), b)) }

// Write is syscall.Write.
func Write(socket uintptr, b []byte) (int, syscall.Errno) {
	return plain(syscall.Write(int(socket), b))
}

func plain(n int, err error) (int, syscall.Errno) {
	if errno, failed := err.(syscall.Errno); failed { //nolint:errorlint // nothing wraps it
		return 0, errno
	}

	return n, 0
}
