//go:build !race

package quiet

import (
	"syscall"
	"unsafe"
)

// Read is syscall.Read on a socket that does not block, without an error's other result of -1. It does not go on after EINTR.
func Read(socket uintptr, b []byte) (int, syscall.Errno) { return call(syscall.SYS_READ, socket, b) }

// Write is syscall.Write on a socket that does not block, without an error's other result of -1. It does not go on after EINTR.
func Write(socket uintptr, b []byte) (int, syscall.Errno) { return call(syscall.SYS_WRITE, socket, b) }

func call(number, socket uintptr, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall(number, socket, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))) //nolint:gosec // its form
	if errno != 0 {
		return 0, errno
	}

	return int(n), 0
}
