//go:build !portable

package eventloop

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// together is how many requests go out together at most.
	together = 64
	// mostTogether is the size of the largest request that does, in bytes: it is copied.
	mostTogether = 2 << 10
	// mostFiles is how many connections have requests that do: those of higher slots write theirs
	// by themselves.
	mostFiles = 32 << 10
)

// sends lets the requests of clients that have their turns in one round of a loop go out together,
// by one call of the kernel's io_uring.
//
// Sockets are known to the ring by their slots in the table of watches, and not by their numbers:
// a number is another connection's as soon as the first one is closed, by whatever goroutine.
type sends struct {
	ring    int
	files   uint32 // slots that the ring may know
	posted  uint32 // requests that have not gone out
	pending [together]pending

	// Both queues are shared with the kernel.
	memory     []byte
	entryTable []byte
	entries    *[together]submission
	submitted  *atomic.Uint32 // the end of the queue of requests
	taken      *atomic.Uint32 // the beginning of the queue of results
	done       *atomic.Uint32 // the end of it
	results    *[2 * together]completion
}

// pending is a request that has not gone out.
type pending struct {
	watch *watch
	size  int
	bytes [mostTogether]byte
}

// setup is the kernel's struct io_uring_params.
type setup struct {
	submissions, completions, flags, threadCPU, threadIdle, features, queue uint32
	_                                                                       [3]uint32
	submission                                                              struct {
		head, tail, mask, entries, flags, dropped, array, _ uint32
		_                                                   uint64
	}
	completion struct {
		head, tail, mask, entries, overflow, results, flags, _ uint32
		_                                                      uint64
	}
}

// submission is its struct io_uring_sqe, as a send has it.
type submission struct {
	operation, flags uint8
	_                uint16
	file             int32
	_                uint64
	bytes            uint64
	size             uint32
	how              uint32
	number           uint64
	_                [3]uint64
}

// completion is its struct io_uring_cqe.
type completion struct {
	number uint64
	result int32
	_      uint32
}

// What include/uapi/linux/io_uring.h calls IORING_OP_SEND, IOSQE_FIXED_FILE, IORING_OFF_SQES,
// IORING_FEAT_SINGLE_MMAP, IORING_ENTER_GETEVENTS, IORING_REGISTER_FILES2 with
// IORING_RSRC_REGISTER_SPARSE, and IORING_REGISTER_FILES_UPDATE.
const (
	opSend        = 26
	fixedFile     = 1
	entriesOffset = 0x10000000
	singleMmap    = 1
	getEvents     = 1
	registerFiles = 13
	sparse        = 1
	updateFiles   = 6
)

// SendsTogether returns how many requests a loop sends in one call of the kernel at most: 1 where
// the kernel has no io_uring that is known, or lets nobody use it.
var SendsTogether = sync.OnceValue(func() int { //nolint:gochecknoglobals // the kernel stays the same
	s, err := newSends()
	if err != nil {
		return 1
	}
	s.close()

	return together
})

var errRing = errors.New("the kernel's io_uring is another one than is known")

// newSends makes what a loop sends with.
func newSends() (s *sends, err error) {
	var p setup
	ring, _, errno := syscall.Syscall(unix.SYS_IO_URING_SETUP, together, uintptr(unsafe.Pointer(&p)), 0) //nolint:gosec // the kernel's form
	if errno != 0 {
		return nil, os.NewSyscallError("io_uring_setup", errno)
	}
	s = &sends{ring: int(ring)}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if p.features&singleMmap == 0 || p.submissions != together || p.completions != 2*together {
		return s, errRing
	}
	if err := s.share(&p); err != nil {
		return s, err
	}

	return s, s.makeRoom()
}

// share maps the queues into memory.
func (s *sends) share(p *setup) (err error) {
	size := max(p.submission.array+4*p.submissions, p.completion.results+uint32(unsafe.Sizeof(completion{}))*p.completions)
	const how, protection = unix.MAP_SHARED | unix.MAP_POPULATE, unix.PROT_READ | unix.PROT_WRITE
	if s.memory, err = unix.Mmap(s.ring, 0, int(size), protection, how); err != nil {
		return err
	}
	if s.entryTable, err = unix.Mmap(s.ring, entriesOffset, int(unsafe.Sizeof(*s.entries)), protection, how); err != nil {
		return err
	}
	at := func(offset uint32) unsafe.Pointer { return unsafe.Pointer(&s.memory[offset]) } //nolint:gosec // the kernel says where
	s.entries = (*[together]submission)(unsafe.Pointer(&s.entryTable[0]))                 //nolint:gosec // see above
	s.submitted = (*atomic.Uint32)(at(p.submission.tail))
	s.taken, s.done = (*atomic.Uint32)(at(p.completion.head)), (*atomic.Uint32)(at(p.completion.tail))
	s.results = (*[2 * together]completion)(at(p.completion.results))
	for i, order := uint32(0), (*[together]uint32)(at(p.submission.array)); i < together; i++ {
		order[i] = i
	}

	return nil
}

// makeRoom registers as many slots of files as there may be connections.
func (s *sends) makeRoom() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	s.files = uint32(min(limit.Cur, mostFiles))
	room := struct {
		files, flags uint32
		_            [3]uint64
	}{files: s.files, flags: sparse}

	return s.register(registerFiles, unsafe.Pointer(&room), unsafe.Sizeof(room)) //nolint:gosec // as the kernel asks for
}

func (s *sends) register(what uintptr, how unsafe.Pointer, n uintptr) error {
	_, _, errno := syscall.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(s.ring), what, uintptr(how), n, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("io_uring_register", errno)
	}

	return nil
}

// know lets the ring know a socket by its slot: from then on requests may be posted there. It is
// false where there is no room for it, or no ring.
func (s *sends) know(slot, socket int32) bool {
	if !s.knows(slot) {
		return false
	}
	update := struct {
		offset, _ uint32
		sockets   *int32
	}{offset: uint32(slot), sockets: &socket}

	return s.register(updateFiles, unsafe.Pointer(&update), 1) == nil //nolint:gosec // as the kernel asks for
}

// forget lets the ring know a slot's socket no more: it would not be closed. Any goroutine may call
// it.
func (s *sends) forget(slot int32) { s.know(slot, noSocket) }

// knows tells whether the ring has room for a slot.
func (s *sends) knows(slot int32) bool { return s != nil && uint32(slot) < s.files }

// post puts a request behind those that go out together.
func (s *sends) post(w *watch, request []byte) {
	i := s.posted % together
	p := &s.pending[i]
	p.watch, p.size = w, copy(p.bytes[:], request)
	s.entries[(s.submitted.Load()+i)%together] = submission{
		operation: opSend, flags: fixedFile, file: w.slot, number: uint64(i),
		bytes: uint64(uintptr(unsafe.Pointer(&p.bytes))), size: uint32(p.size), //nolint:gosec // the loop keeps it
		how: unix.MSG_DONTWAIT | unix.MSG_NOSIGNAL,
	}
	s.posted++
}

// submit sends what was posted, and tells of each request that has not gone out, or in part.
func (s *sends) submit(failed func(w *watch, rest []byte)) error {
	n := s.posted
	s.posted = 0
	s.submitted.Add(n)
	for left := n; ; {
		gone, errno := enterRing(s.ring, left, 0)
		if errno != 0 && errno != syscall.EINTR {
			return os.NewSyscallError("io_uring_enter", errno)
		}
		if left -= min(gone, left); left == 0 {
			break
		}
	}
	for s.done.Load()-s.taken.Load() < n { // none of them waits for its socket
		if _, errno := enterRing(s.ring, 0, n); errno != 0 && errno != syscall.EINTR {
			return os.NewSyscallError("io_uring_enter", errno)
		}
	}
	for range n {
		result := s.results[s.taken.Load()%uint32(len(s.results))]
		s.taken.Add(1)
		p := &s.pending[result.number%together]
		if sent := int(max(result.result, 0)); sent < p.size {
			failed(p.watch, p.bytes[sent:p.size])
		}
		p.watch = nil
	}

	return nil
}

// close gives up the ring.
func (s *sends) close() {
	for _, memory := range [][]byte{s.memory, s.entryTable} {
		if memory != nil {
			_ = unix.Munmap(memory) // it is mapped
		}
	}
	_ = unix.Close(s.ring) // there is nothing to lose
}

// noSocket is what a slot knows that knows none.
const noSocket = -1
