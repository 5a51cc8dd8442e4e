//go:build !portable

package measure

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm is a precise sleep. Go's timers wake an idle process up to a millisecond late; a kernel
// timer, read through Go's poller, is about 30 us late and holds no thread. The zero value is ready
// for one goroutine.
type alarm struct {
	timer  *os.File
	failed bool // fall back to Go's timers
}

func (a *alarm) sleep(d time.Duration) {
	begin := now()
	if !a.failed {
		a.failed = !a.ring(d) || now()-begin < d/2 // for example with a fake clock
	}
	if a.failed {
		time.Sleep(d - (now() - begin))
	}
}

// ring sleeps by the kernel timer. It returns false if that fails.
func (a *alarm) ring(d time.Duration) bool {
	if a.timer == nil {
		fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
		if err != nil {
			return false
		}
		a.timer = os.NewFile(uintptr(fd), "timer") // non-blocking, for Go's poller
	}
	once := &unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
	if err := a.set(once); err != nil {
		return false
	}
	var times [8]byte
	_, err := a.timer.Read(times[:])

	return err == nil
}

func (a *alarm) set(to *unix.ItimerSpec) error {
	raw, err := a.timer.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = unix.TimerfdSettime(int(fd), 0, to, nil) }); err != nil {
		return err
	}

	return failed
}

func (a *alarm) close() {
	if a.timer != nil {
		_ = a.timer.Close()
		a.timer = nil
	}
}
