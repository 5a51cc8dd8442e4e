//go:build !portable && (linux || darwin || freebsd || netbsd || openbsd)

package files

import (
	"errors"
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

// Claim makes a file and holds it until release is called or the process ends, which removes or
// leaves the file. It is false while another process holds it, or another claim of this one. Where
// the file cannot be made or the file system has no locks, nobody else is known of.
func Claim(path string) (release func(), ok bool) {
	none := func() {}
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return none, true
		}
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			_ = file.Close()

			return none, false
		}
		if err != nil || isStill(file, path) {
			return func() {
				_ = os.Remove(path) // before the file is given up: whoever waits makes another one
				_ = file.Close()
			}, true
		}
		_ = file.Close() // who held it has removed it meanwhile
	}
}

// isStill tells whether the path is that of the open file.
func isStill(file *os.File, path string) bool {
	held, errHeld := file.Stat()
	there, errThere := os.Stat(path)

	return errHeld == nil && errThere == nil && os.SameFile(held, there)
}
