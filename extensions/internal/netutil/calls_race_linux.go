//go:build race && !portable

package netutil

import "syscall"

// RawRead uses syscall.Read, so that the race detector sees the order of sends and receives.
func RawRead(socket uintptr, b []byte) (int, syscall.Errno) { return plain(syscall.Read, socket, b) }

// RawWrite uses syscall.Write.
func RawWrite(socket uintptr, b []byte) (int, syscall.Errno) { return plain(syscall.Write, socket, b) }

func plain(call func(int, []byte) (int, error), socket uintptr, b []byte) (int, syscall.Errno) {
	for {
		n, err := call(int(socket), b)
		errno, failed := err.(syscall.Errno) //nolint:errorlint // nothing wraps it
		if !failed {
			return n, 0
		}
		if errno != syscall.EINTR {
			return 0, errno
		}
	}
}
