//go:build !portable

package measure

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm lets a goroutine sleep precisely. Go's own timers wake an idle process up to a millisecond
// late, as it waits for them in whole milliseconds. A timer of the kernel's, read like a
// connection, is late by some 30 us and holds no thread.
//
// Trials on two cores at 1,000 waits a second: Go's timers 0.6 ms late for 3 % of a core, this 0.03
// ms for 4.5 %, nanosleep 0.08 ms for 6 %, and a loop that looks at the clock for the last
// millisecond 54 %.
//
// The zero value is ready to use, by one goroutine at a time.
type alarm struct {
	timer  *os.File
	failed bool // there is no such timer, or it does not go with now: then Go's timers do
}

// sleep sleeps for d.
func (a *alarm) sleep(d time.Duration) {
	begin := now()
	if !a.failed {
		a.failed = !a.ring(d) || now()-begin < d/2 // as in a test whose clock is its own
	}
	if a.failed {
		time.Sleep(d - (now() - begin))
	}
}

// ring sleeps for d by the kernel's timer; false: it could not.
func (a *alarm) ring(d time.Duration) bool {
	if a.timer == nil {
		fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
		if err != nil {
			return false
		}
		a.timer = os.NewFile(uintptr(fd), "timer") // does not block: Go's network poller waits for it
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

// close gives the timer back. The alarm may be used again.
func (a *alarm) close() {
	if a.timer != nil {
		_ = a.timer.Close()
		a.timer = nil
	}
}
