//go:build !linux || (!amd64 && !arm64) || race || portable

package eventloop

// place is where a job's memory is, for which only some processors are asked.
type place struct{}

func (*place) pauses() {}

func (*Seat) fetch() {}
