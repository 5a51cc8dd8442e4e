package netutil

import "syscall"

// errRefused is WSAECONNREFUSED. syscall.ECONNREFUSED is not a Windows error number.
const errRefused = syscall.Errno(10061)
