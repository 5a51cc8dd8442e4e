//go:build !portable

package host

import (
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// interruptsApart reports whether the kernel excludes interrupts from process times
// (CONFIG_IRQ_TIME_ACCOUNTING). If not, process times include them, and /proc/stat estimates them a
// second time. No file shows the setting, so it is measured: a thread sends packets to itself for a
// few milliseconds, and the kernel spends a third of that in soft interrupts. If the thread's own
// time covers the whole period, process times include interrupts.
var interruptsApart = sync.OnceValue(func() bool { //nolint:gochecknoglobals // there is one kernel
	// Other threads rarely take all of such short times.
	for range 30 {
		if part, err := ownPartOfSending(500 * time.Microsecond); err != nil || part >= 0.92 {
			return err != nil // errs towards too little interrupt time
		}
	}

	return true
})

// ownPartOfSending returns the share of the time that the kernel attributes to the sending thread.
func ownPartOfSending(length time.Duration) (part float64, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = unix.Close(fd) }()
	if err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	self, err := unix.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	// Read the kernel's clock, because package time's stands still in synctest bubbles.
	clock := func(id int32) time.Duration {
		var now unix.Timespec
		if err == nil {
			err = unix.ClockGettime(id, &now)
		}

		return time.Duration(now.Nano())
	}
	began, begin := clock(unix.CLOCK_MONOTONIC), clock(unix.CLOCK_THREAD_CPUTIME_ID)
	for err == nil && clock(unix.CLOCK_MONOTONIC)-began < length {
		_ = unix.Sendto(fd, []byte{0}, unix.MSG_DONTWAIT, self) // dropped when the socket is full, which is also work
	}
	end := clock(unix.CLOCK_THREAD_CPUTIME_ID)

	return float64(end-begin) / float64(clock(unix.CLOCK_MONOTONIC)-began), err
}
