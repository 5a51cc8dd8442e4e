//go:build unix && !portable

package host

import (
	"time"

	"golang.org/x/sys/unix"
)

func selfTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}

	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
