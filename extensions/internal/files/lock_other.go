//go:build portable || !(linux || darwin || freebsd || netbsd || openbsd)

package files

// lock does nothing: this system cannot lock folders.
func lock(string) (unlock func()) { return func() {} }

// Claim always succeeds: this system cannot lock files.
func Claim(string) (release func(), ok bool) { return func() {}, true }
