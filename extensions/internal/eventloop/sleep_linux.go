//go:build !portable

package eventloop

import (
	"context"
	"os"
	"slices"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Sleep yields until a time of package clock, or until ctx ends. Only jobs may call it.
func (s *Seat) Sleep(ctx context.Context, until time.Duration) {
	l := s.loop
	if s.ends != ctx {
		s.wakeful()
		s.ends = ctx
		s.forget = context.AfterFunc(ctx, l.hurry)
	}
	if ctx.Err() != nil {
		return
	}
	s.until = int64(until)
	l.sleepers.add(s)
	s.pause()
}

// wakeful cancels the registration with the sleep's context.
func (s *Seat) wakeful() {
	if s.ends != nil {
		s.forget()
		s.ends, s.forget = nil, nil
	}
}

type sleepers []*Seat

// add inserts a seat, searching from the end: most seats wake last.
func (all *sleepers) add(s *Seat) {
	at := len(*all)
	for at > 0 && (*all)[at-1].until > s.until {
		at--
	}
	*all = slices.Insert(*all, at, s)
}

func (l *loop) rouse() {
	if len(l.sleepers) == 0 {
		return
	}
	n, at := 0, now()
	for n < len(l.sleepers) && l.sleepers[n].until <= at {
		n++
	}
	l.ready = append(l.ready, l.sleepers[:n]...)
	l.sleepers = slices.Delete(l.sleepers, 0, n)
}

func (l *loop) rouseEnded() {
	l.sleepers = slices.DeleteFunc(l.sleepers, func(s *Seat) bool {
		ended := s.ends.Err() != nil
		if ended {
			l.again = append(l.again, s)
		}

		return ended
	})
}

// setBell sets the timer for the next sleeper or deadline. It returns false if that is now.
func (l *loop) setBell() (later bool) {
	next := l.due
	if len(l.sleepers) > 0 {
		next = min(next, l.sleepers[0].until)
	}
	if next == never || next == l.rings {
		return true
	}
	at := now()
	if next <= at {
		return false
	}
	l.rings = next
	once := unix.ItimerSpec{Value: unix.NsecToTimespec(next - at)}
	if errno := setTimer(l.bell, &once); errno != 0 {
		l.fail(os.NewSyscallError("timerfd_settime", errno))
	}

	return true
}

func setTimer(timer int, to *unix.ItimerSpec) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(unix.SYS_TIMERFD_SETTIME, uintptr(timer), 0,
		uintptr(unsafe.Pointer(to)), 0, 0, 0) //nolint:gosec // as package syscall asks for

	return errno
}
