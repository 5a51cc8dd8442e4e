//go:build portable || !(linux || darwin || freebsd || netbsd || openbsd)

package files

// lock does nothing where folders cannot be locked.
func lock(string) (unlock func()) { return func() {} }

// Claim knows of nobody else where files cannot be locked.
func Claim(string) (release func(), ok bool) { return func() {}, true }
