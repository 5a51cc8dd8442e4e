package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// become connects all clients, and lets the program in C go on in place of this one: it inherits
// the connections, and a file that says what goes over each. It returns when that fails.
func (s *settings) become() error {
	plan, err := os.CreateTemp("", "floor")
	if err != nil {
		return err
	}
	if err := os.Remove(plan.Name()); err != nil { // it is inherited, too
		return err
	}
	w := bufio.NewWriter(plan)
	for i := range s.Clients {
		c, err := s.connect(i)
		if err != nil {
			return fmt.Errorf("client %d: %w", i+1, err)
		}
		socket, err := c.conn.File()
		if err != nil {
			return err
		}
		if err := inherit(socket); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(w, "%d %d %d %d %d\n%s", socket.Fd(), c.digits, c.answer, c.again, len(c.request), c.request)
		kept = append(kept, socket)
	}
	if err := errors.Join(w.Flush(), inherit(plan)); err != nil {
		return err
	}
	if _, err := plan.Seek(0, 0); err != nil {
		return err
	}

	return syscall.Exec(s.epoll, []string{
		s.epoll, strconv.Itoa(int(plan.Fd())), strconv.Itoa(s.Clients), strconv.Itoa(s.Ops), strconv.FormatInt(s.Warmup.Milliseconds(), 10),
	}, os.Environ())
}

// kept are the connections that another program inherits: they must not be collected before.
var kept []*os.File //nolint:gochecknoglobals // until the process is another one

// inherit keeps a file open in the program that goes on.
func inherit(f *os.File) error {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETFD, 0)

	return err
}
