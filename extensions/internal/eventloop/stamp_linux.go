//go:build !portable

package eventloop

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/quiet"
)

// sampled is of how many reads the wait of one is measured.
const sampled = 16

// stamp receives bytes with the kernel's time of when they came. Its memory is used again.
type stamp struct {
	// came is the time, in nanoseconds since 1970; 0: the kernel has not said.
	came    int64
	message unix.Msghdr
	bytes   unix.Iovec
	control [128]byte
}

// keepTimes asks the kernel to keep the times of when bytes come over a socket. Only some kinds of
// sockets have them: those of TCP do.
func keepTimes(socket uintptr) bool {
	flags := unix.SOF_TIMESTAMPING_RX_SOFTWARE | unix.SOF_TIMESTAMPING_SOFTWARE
	kind, err := unix.GetsockoptInt(int(socket), unix.SOL_SOCKET, unix.SO_PROTOCOL)

	return err == nil && kind == unix.IPPROTO_TCP &&
		unix.SetsockoptInt(int(socket), unix.SOL_SOCKET, unix.SO_TIMESTAMPING, flags) == nil
}

// longestWait is above what any answer waits whose client has a timeout.
const longestWait = time.Hour

// receive reads what has come, and measures how long it has waited, now and then.
func (c *Conn) receive(b []byte) (int, error) {
	s := c.seat
	if c.reads++; s.Waited == nil || !c.stamped || c.reads < sampled {
		return c.once(b, quiet.Read)
	}
	at := &s.loop.stamp
	n, err := c.once(b, at.receive)
	if err == nil && n > 0 {
		c.tell(s, at)
	}

	return n, err
}

// tell tells how long what was received has waited, if the kernel knows.
func (c *Conn) tell(s *Seat, at *stamp) {
	if at.came == 0 {
		return
	}
	c.reads = 0
	// Both times are of the wall clock, which may have been set in between.
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

// read finds the time among what the kernel has said beside the bytes.
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
