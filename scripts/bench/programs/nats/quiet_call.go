//go:build linux && !race

package main

import (
	"syscall"
	"unsafe"
)

func readSocket(socket uintptr, b []byte) (int, syscall.Errno) {
	return call(syscall.SYS_READ, socket, b)
}

func writeSocket(socket uintptr, b []byte) (int, syscall.Errno) {
	return call(syscall.SYS_WRITE, socket, b)
}

func call(number, socket uintptr, b []byte) (int, syscall.Errno) {
	//nolint:gosec // the kernel takes an address
	n, _, errno := syscall.RawSyscall(number, socket, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}

	return int(n), 0
}
