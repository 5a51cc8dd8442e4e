//go:build !portable && (linux || darwin || freebsd || netbsd || openbsd)

package files

import (
	"errors"
	"os"
	"syscall"
)

// lock takes an exclusive lock on a folder. It does nothing if locking is not possible.
func lock(dir string) (unlock func()) {
	folder, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	_ = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX) // not supported by every file system

	return func() { _ = folder.Close() }
}

// Claim creates and locks a file until release, which removes it, or until the process ends. ok is
// false if another claim holds the file. If files cannot be created or locked, Claim succeeds.
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
				_ = os.Remove(path) // before unlocking, so that a waiting process creates a new file
				_ = file.Close()
			}, true
		}
		_ = file.Close() // the holder has removed this file meanwhile
	}
}

func isStill(file *os.File, path string) bool {
	held, errHeld := file.Stat()
	there, errThere := os.Stat(path)

	return errHeld == nil && errThere == nil && os.SameFile(held, there)
}
