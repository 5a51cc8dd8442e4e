//go:build unix

package testutil

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Stop pauses a child process and returns when all its threads have stopped. The kernel still
// accepts connections for it.
func Stop(child *os.Process) error {
	if err := child.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	var status syscall.WaitStatus
	_, err := syscall.Wait4(child.Pid, &status, syscall.WUNTRACED, nil)
	for errors.Is(err, syscall.EINTR) {
		_, err = syscall.Wait4(child.Pid, &status, syscall.WUNTRACED, nil)
	}
	if err == nil && !status.Stopped() {
		err = fmt.Errorf("process %d has ended", child.Pid)
	}

	return err
}

// Continue resumes the process.
func Continue(child *os.Process) error { return child.Signal(syscall.SIGCONT) }
