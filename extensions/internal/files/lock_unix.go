//go:build !portable && (linux || darwin || freebsd || netbsd || openbsd)

package files

import (
	"os"
	"syscall"
)

// lock keeps others that lock the folder waiting, until unlock is called. Where that cannot be had,
// it does nothing.
func lock(dir string) (unlock func()) {
	folder, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	_ = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX) // some file systems have no locks

	return func() { _ = folder.Close() }
}
