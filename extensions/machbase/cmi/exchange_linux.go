package cmi

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// atOnce is the size of a request that a socket with nothing to send takes at once.
const atOnce = 4 << 10

// exchange sends a request and waits for its answer. Reading in the usual way looks for the answer first, finds nothing, and waits
// then; here the runtime's poller is told to watch, then the request is sent, then waited: that look is spared. What came before the
// request is seen when its answer comes, so that this is for a server that has shown that it answers.
type exchange struct {
	socket *net.TCPConn
	raw    syscall.RawConn
	step   func(fd uintptr) bool

	request, answer []byte
	sent, received  int
	sending         bool
	err             error
}

// exchanger returns a function that does what Conn.sendAndReceive does. Nil where that cannot be done in another way.
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
	e.request, e.answer, e.sent, e.received, e.sending, e.err = request, answer, 0, 0, len(request) <= atOnce, nil
	if e.sending {
		if err := e.raw.Read(e.step); err != nil {
			return e.sent, e.received, err
		}
	}
	if e.err == nil && e.sent < len(request) { // the rest, which has to wait
		var n int
		n, e.err = e.socket.Write(request[e.sent:])
		e.sent += n
		if e.err == nil {
			e.received, e.err = e.socket.Read(answer)
		}
	}

	return e.sent, e.received, e.err
}

// next sends the first time, and reads the others. It tells whether there is nothing to wait for.
func (e *exchange) next(fd uintptr) bool {
	if e.sending {
		e.sending = false
		n, err := syscall.Write(int(fd), e.request)
		e.sent = max(n, 0)
		if err != nil && !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR) {
			e.err = os.NewSyscallError("write", err)
		}

		return e.sent < len(e.request)
	}
	n, err := syscall.Read(int(fd), e.answer)
	for errors.Is(err, syscall.EINTR) {
		n, err = syscall.Read(int(fd), e.answer)
	}
	switch {
	case errors.Is(err, syscall.EAGAIN):
		return false
	case err != nil:
		e.err = os.NewSyscallError("read", err)
	case n == 0:
		e.err = io.EOF
	}
	e.received = max(n, 0)

	return true
}
