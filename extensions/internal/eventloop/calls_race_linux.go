//go:build race && !portable

package eventloop

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func epollWait(epoll uintptr, events []unix.EpollEvent) (int, syscall.Errno) {
	n, err := unix.EpollWait(int(epoll), events, 0)
	errno, failed := err.(syscall.Errno) //nolint:errorlint // nothing wraps it
	if !failed {
		return n, 0
	}

	return 0, errno
}
