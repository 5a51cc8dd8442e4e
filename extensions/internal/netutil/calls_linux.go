//go:build !race && !portable

package netutil

import (
	"syscall"
	"unsafe"
)

// RawRead is syscall.Read on a non-blocking socket. It returns 0 on an error and retries after
// EINTR.
func RawRead(socket uintptr, b []byte) (int, syscall.Errno) { return call(syscall.SYS_READ, socket, b) }

// RawWrite is syscall.Write on a non-blocking socket. It returns 0 on an error and retries after
// EINTR.
func RawWrite(socket uintptr, b []byte) (int, syscall.Errno) {
	return call(syscall.SYS_WRITE, socket, b)
}

func call(number, socket uintptr, b []byte) (int, syscall.Errno) {
	start := unsafe.Pointer(unsafe.SliceData(b)) //nolint:gosec // the form that package syscall asks for
	for {
		n, _, errno := syscall.RawSyscall(number, socket, uintptr(start), uintptr(len(b)))
		if errno == 0 {
			return int(n), 0
		}
		if errno != syscall.EINTR {
			return 0, errno
		}
	}
}
