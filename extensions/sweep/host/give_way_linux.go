//go:build !portable

package host

import "golang.org/x/sys/unix"

// giveWay makes all threads of k6 such that give way (SCHED_BATCH), or such as they are by default.
// Threads that they begin are like them. One that somebody has given another policy stays as it is,
// and so do all where nobody may change them.
func giveWay(gives bool) {
	from, to := uint32(unix.SCHED_NORMAL), uint32(unix.SCHED_BATCH)
	if !gives {
		from, to = to, from
	}
	for changed := 1; changed > 0; { // else one is left that began meanwhile, and those that it begins
		changed = changePolicy(from, to)
	}
}

// changePolicy changes that of all threads of one policy, and returns how many there were.
func changePolicy(from, to uint32) (changed int) {
	for _, t := range threadsOf("/proc/self/task/") {
		now, err := unix.SchedGetAttr(int(t.id), 0)
		if err != nil || now.Policy != from {
			continue
		}
		now.Policy = to
		if unix.SchedSetAttr(int(t.id), now, 0) == nil { // else it has ended, or nobody may
			changed++
		}
	}

	return changed
}
