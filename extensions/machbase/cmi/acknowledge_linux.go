//go:build !portable

package cmi

import (
	"net"
	"syscall"
)

// acknowledger returns a function that makes the kernel acknowledge received data immediately, not
// up to 40 ms later with the next request. It returns nil if that is not possible.
func acknowledger(socket net.Conn) func() {
	tcp, ok := socket.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	set := func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1)
	}

	return func() { _ = raw.Control(set) }
}
