//go:build !portable

package emulator

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm is a timerfd. In an idle process Go's own timers are up to a millisecond late, because the
// runtime waits for them in epoll with a resolution of milliseconds. A readable file ends that wait
// immediately.
type alarm struct {
	fd   int
	file *os.File
}

func newAlarm() *alarm {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return &alarm{}
	}
	return &alarm{fd: fd, file: os.NewFile(uintptr(fd), "timerfd")}
}

func (a *alarm) sleep(d time.Duration) {
	if a.file == nil {
		time.Sleep(d)
		return
	}
	if err := unix.TimerfdSettime(a.fd, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(d.Nanoseconds())}, nil); err != nil {
		time.Sleep(d)
		return
	}
	var expirations [8]byte
	_, _ = a.file.Read(expirations[:])
}

func (a *alarm) close() {
	if a.file != nil {
		_ = a.file.Close()
	}
}
