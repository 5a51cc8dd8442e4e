//go:build !linux || (!amd64 && !arm64) || race || portable

package eventloop

// place is where a job's memory is, for which only some processors are asked.
type place struct{}

func (*place) pauses() {}

// Memory is what a job touches in each of its turns.
type Memory struct{}

// MemoryOf is that of a value.
func MemoryOf[T any](*T) Memory { return Memory{} }

func (*Seat) fetch() {}
