package cmi

import (
	"net"
	"syscall"
)

// acknowledger returns a function that makes the system acknowledge what has come on a connection at once, and not up to 40 ms later
// with the next request. Nil where that cannot be done.
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
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1) // without it, it only takes longer
	}

	return func() { _ = raw.Control(set) }
}
