//go:build !portable

package cmi

import (
	"io"
	"net"
	"os"
	"syscall"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
)

// atOnce is the size of a request that an empty socket accepts completely.
const atOnce = 4 << 10

// exchange sends a request and waits for its answer. It registers with the runtime's poller before
// it sends, and so saves a first read that would find nothing. It notices data from before the
// request only with the answer, so use it only after the server has answered once.
type exchange struct {
	socket *net.TCPConn
	raw    syscall.RawConn
	step   func(fd uintptr) bool

	request, answer []byte
	sent, received  int
	sending         bool
	err             error
}

func exchanger(socket net.Conn) func(request, answer []byte) (sent, received int, err error) {
	tcp, ok := socket.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	e := &exchange{socket: tcp, raw: raw}
	e.step = e.next

	return e.run
}

func (e *exchange) run(request, answer []byte) (sent, received int, err error) {
	e.request, e.answer, e.sent, e.received, e.err = request, answer, 0, 0, nil
	if len(request) > atOnce {
		if e.sent, err = e.socket.Write(request); err != nil {
			return e.sent, 0, err
		}
	}
	e.sending = e.sent < len(request)
	err = e.raw.Read(e.step)
	e.request, e.answer = nil, nil
	if err != nil {
		return e.sent, e.received, err
	}
	if e.err == nil && e.sent < len(request) {
		var n int
		n, e.err = e.socket.Write(request[e.sent:])
		e.sent += n
		if e.err == nil {
			e.received, e.err = e.socket.Read(answer)
		}
	}

	return e.sent, e.received, e.err
}

// next reports whether the call is done.
func (e *exchange) next(fd uintptr) bool {
	if e.sending {
		e.sending = false
		n, errno := netutil.RawWrite(fd, e.request)
		e.sent = n
		if errno != 0 && errno != syscall.EAGAIN {
			e.err = os.NewSyscallError("write", errno)
		}

		return e.sent < len(e.request)
	}
	n, errno := netutil.RawRead(fd, e.answer)
	switch {
	case errno == syscall.EAGAIN:
		return false
	case errno != 0:
		e.err = os.NewSyscallError("read", errno)
	case n == 0:
		e.err = io.EOF
	}
	e.received = n

	return true
}
