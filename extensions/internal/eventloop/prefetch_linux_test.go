//go:build (amd64 || arm64) && !race && !portable

package eventloop

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A stack grows down: what a caller keeps lies between the top that a call sees and the bottom.
func TestPlaceIsThatOfTheJob(t *testing.T) {
	t.Parallel()
	var kept [line]byte
	var p place
	p.pauses()
	at := uintptr(unsafe.Pointer(&kept)) // it is not used to read
	_, _, bottom := stack()
	require.NotZero(t, p.goroutine)
	require.Less(t, p.top, at)
	require.Greater(t, bottom, at)
	require.Positive(t, p.stackLines)
	require.LessOrEqual(t, p.stackLines, mostStackLines)
	kept[0] = 1

	var other place
	done := make(chan struct{})
	go func() {
		defer close(done)
		other.pauses()
	}()
	<-done
	require.NotEqual(t, p.goroutine, other.goroutine)
}

func TestFetchingTakesAnyAddress(t *testing.T) {
	t.Parallel()
	for _, at := range []uintptr{0, 1, 1 << 30, ^uintptr(0) - line} {
		prefetch(at, 1)
		prefetch(at, 0)
	}
	new(Seat).fetch()
}
