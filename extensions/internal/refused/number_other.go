//go:build !windows

package refused

import "syscall"

const errRefused = syscall.ECONNREFUSED
