//go:build unix

package standstill

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Stop makes a child of this process stand still: the kernel still takes its connections, and
// nothing answers. A signal takes effect some time after it was sent, so Stop returns when all
// threads stand still.
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

// Continue ends Stop.
func Continue(child *os.Process) error { return child.Signal(syscall.SIGCONT) }
