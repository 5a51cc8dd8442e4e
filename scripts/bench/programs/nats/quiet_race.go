//go:build linux && race

package main

import "syscall"

// readSocket is a call that the race detector sees.
func readSocket(socket uintptr, b []byte) (int, syscall.Errno) { return plain(syscall.Read, socket, b) }

func writeSocket(socket uintptr, b []byte) (int, syscall.Errno) {
	return plain(syscall.Write, socket, b)
}

func plain(call func(int, []byte) (int, error), socket uintptr, b []byte) (int, syscall.Errno) {
	n, err := call(int(socket), b)
	if errno, failed := err.(syscall.Errno); failed {
		return 0, errno
	}

	return n, 0
}
