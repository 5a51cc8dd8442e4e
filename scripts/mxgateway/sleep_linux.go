package main

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// sleep uses a timerfd. In an idle process Go's own timers are up to a millisecond late, because
// the runtime waits for them in epoll with a resolution of milliseconds. A readable file ends that
// wait immediately.
func sleep(d time.Duration) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		time.Sleep(d)
		return
	}
	file := os.NewFile(uintptr(fd), "timerfd")
	defer func() { _ = file.Close() }()
	if err := unix.TimerfdSettime(fd, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(d.Nanoseconds())}, nil); err != nil {
		time.Sleep(d)
		return
	}
	var expirations [8]byte
	_, _ = file.Read(expirations[:])
}
