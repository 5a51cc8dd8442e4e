package refused

import "syscall"

// errRefused is WSAECONNREFUSED. What package syscall calls ECONNREFUSED is no number of Windows.
const errRefused = syscall.Errno(10061)
