//go:build !race && !portable

package eventloop

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// epollWait polls without waiting, by a raw system call: see netutil.RawRead.
func epollWait(epoll uintptr, events []unix.EpollEvent) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, epoll,
		uintptr(unsafe.Pointer(unsafe.SliceData(events))), //nolint:gosec // as package syscall asks for
		uintptr(len(events)), 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}

	return int(n), 0
}
