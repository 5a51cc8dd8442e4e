//go:build !portable

package eventloop

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
)

// The wait is measured for one of this many reads.
const sampled = 16

// stamp receives bytes with the kernel's receive timestamp. It is reused.
type stamp struct {
	// came is the timestamp in nanoseconds since 1970; 0 if unknown.
	came    int64
	message unix.Msghdr
	bytes   unix.Iovec
	control [128]byte
}

// keepTimes enables the kernel's receive timestamps. Not all sockets support them; TCP does.
func keepTimes(socket uintptr) bool {
	flags := unix.SOF_TIMESTAMPING_RX_SOFTWARE | unix.SOF_TIMESTAMPING_SOFTWARE
	kind, err := unix.GetsockoptInt(int(socket), unix.SOL_SOCKET, unix.SO_PROTOCOL)

	return err == nil && kind == unix.IPPROTO_TCP &&
		unix.SetsockoptInt(int(socket), unix.SOL_SOCKET, unix.SO_TIMESTAMPING, flags) == nil
}

// longestWait exceeds the wait of any client with a timeout.
const longestWait = time.Hour

// receive reads available bytes, and measures the wait of a sample.
func (c *Conn) receive(b []byte) (int, error) {
	s := c.seat
	if c.reads++; s.Waited == nil || !c.stamped || c.reads < sampled {
		return c.once(b, netutil.RawRead)
	}
	at := &s.loop.stamp
	n, err := c.once(b, at.receive)
	if err == nil && n > 0 {
		c.tell(s, at)
	}

	return n, err
}

// tell reports how long the bytes waited, if the kernel knows.
func (c *Conn) tell(s *Seat, at *stamp) {
	if at.came == 0 {
		return
	}
	c.reads = 0
	// Both times are wall clock times, and the clock may have been set in between.
	if waited := time.Duration(time.Now().UnixNano() - at.came); waited >= 0 && waited < longestWait {
		s.Waited(s.loop.number, waited)
	}
}

func (t *stamp) receive(socket uintptr, b []byte) (int, syscall.Errno) {
	t.came = 0
	t.bytes.Base = unsafe.SliceData(b) //nolint:gosec // as the kernel asks for
	t.bytes.SetLen(len(b))
	t.message = unix.Msghdr{Iov: &t.bytes, Iovlen: 1, Control: &t.control[0]}
	t.message.SetControllen(len(t.control))
	n, errno := receiveMessage(socket, &t.message)
	t.bytes.Base = nil
	if errno == 0 {
		t.read(t.control[:t.message.Controllen])
	}

	return n, errno
}

func (t *stamp) read(control []byte) {
	for len(control) >= unix.SizeofCmsghdr {
		head := (*unix.Cmsghdr)(unsafe.Pointer(&control[0])) //nolint:gosec // as the kernel has laid it out
		if head.Level == unix.SOL_SOCKET && head.Type == unix.SCM_TIMESTAMPING &&
			len(control) >= unix.CmsgLen(int(unsafe.Sizeof(unix.Timespec{}))) {
			at := (*unix.Timespec)(unsafe.Pointer(&control[unix.CmsgLen(0)])) //nolint:gosec // the same
			t.came = at.Nano()
		}
		next := unix.CmsgSpace(int(head.Len) - unix.CmsgLen(0))
		if head.Len < unix.SizeofCmsghdr || next > len(control) {
			return
		}
		control = control[next:]
	}
}

func receiveMessage(socket uintptr, message *unix.Msghdr) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(syscall.SYS_RECVMSG, socket,
			uintptr(unsafe.Pointer(message)), 0) //nolint:gosec // as package syscall asks for
		if errno == 0 {
			return int(n), 0
		}
		if errno != syscall.EINTR {
			return 0, errno
		}
	}
}
