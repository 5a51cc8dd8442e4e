//go:build !windows

package netutil

import "syscall"

const errRefused = syscall.ECONNREFUSED
