//go:build (amd64 || arm64) && !race && !portable

package eventloop

import "unsafe"

const (
	// line is what a processor fetches of its memory at once, in bytes.
	line = 64
	// goroutineLines are those of the runtime's own notes of a goroutine that a switch reads.
	goroutineLines = 6
	// mostStackLines is how much of a job's stack is fetched.
	mostStackLines = 48
	seatLines      = (int(unsafe.Sizeof(Seat{})) + line - 1) / line
)

// prefetch asks the processor for so many lines of memory, and does not wait for them. It reads
// nothing: the memory may be another's by now.
//
//go:noescape
func prefetch(from uintptr, lines int)

// stack is where the runtime's notes of this goroutine are, and from where to where its stack goes.
func stack() (goroutine, top, bottom uintptr)

// place is where a job's memory is. Nothing is kept alive by it, and nothing is read through it.
type place struct {
	goroutine, top uintptr
	stackLines     int
}

// pauses is called by the job when it lets others go.
func (p *place) pauses() {
	var bottom uintptr
	p.goroutine, p.top, bottom = stack()
	p.stackLines = min(int(bottom-p.top)/line+1, mostStackLines)
}

// fetch asks for the memory that the job's next turn begins with.
func (s *Seat) fetch() {
	prefetch(uintptr(unsafe.Pointer(s)), seatLines) //nolint:gosec // nothing is read
	prefetch(s.place.goroutine, goroutineLines)
	prefetch(s.place.top, s.place.stackLines)
}
