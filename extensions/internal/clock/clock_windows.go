package clock

import (
	"math/bits"
	"syscall"
	"time"
	"unsafe"
)

//nolint:gochecknoglobals // constants of the process
var (
	kernel    = syscall.NewLazyDLL("kernel32.dll")
	query     = kernel.NewProc("QueryPerformanceCounter").Addr()
	frequency = uint64(ask(kernel.NewProc("QueryPerformanceFrequency").Addr()))
	epoch     = ask(query)
)

// Now returns the time since the process started.
func Now() time.Duration {
	high, low := bits.Mul64(uint64(ask(query)-epoch), uint64(time.Second))
	nanoseconds, _ := bits.Div64(high, low, frequency)

	return time.Duration(nanoseconds) //nolint:gosec // centuries
}

// ask calls a Windows function that writes a number. Both functions used here cannot fail since
// Windows XP.
func ask(function uintptr) (number int64) {
	_, _, _ = syscall.SyscallN(function, uintptr(unsafe.Pointer(&number)))

	return number
}
