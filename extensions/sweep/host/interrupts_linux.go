//go:build !portable

package host

import (
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// interruptsApart tells whether the kernel keeps the time of interrupts out of that of processes
// (CONFIG_IRQ_TIME_ACCOUNTING). Where it does not, a process has the time of the interrupts that it
// was hit by, and /proc/stat estimates the same time once more, from its ticks. No file tells which
// it is. So a thread sends to itself for a few milliseconds, which the kernel does in soft
// interrupts for a third of the time and more: is all of that time the thread's, nothing is apart.
var interruptsApart = sync.OnceValue(func() bool { //nolint:gochecknoglobals // there is one kernel
	// Other threads and machines take from that time as well, but hardly from all of so short ones.
	for range 30 {
		if part, err := ownPartOfSending(500 * time.Microsecond); err != nil || part >= 0.92 {
			return err != nil // then what a step is blamed for is rather too little
		}
	}

	return true
})

// ownPartOfSending returns which part of a time of sending the kernel gives to the sending thread.
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
	// The kernel's clock: that of package time stands still in the bubbles of synctest.
	clock := func(id int32) time.Duration {
		var now unix.Timespec
		if err == nil {
			err = unix.ClockGettime(id, &now)
		}

		return time.Duration(now.Nano())
	}
	began, begin := clock(unix.CLOCK_MONOTONIC), clock(unix.CLOCK_THREAD_CPUTIME_ID)
	for err == nil && clock(unix.CLOCK_MONOTONIC)-began < length {
		_ = unix.Sendto(fd, []byte{0}, unix.MSG_DONTWAIT, self) // dropped once the socket is full: that is work as well
	}
	end := clock(unix.CLOCK_THREAD_CPUTIME_ID)

	return float64(end-begin) / float64(clock(unix.CLOCK_MONOTONIC)-began), err
}
