//go:build !portable

package host

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

const (
	// tick is the unit of times in /proc; USER_HZ is 100.
	tick = time.Second / 100
	// mostReadings limits how often a process tree is read again because it has changed.
	mostReadings = 4
)

func alive(pid int32) bool {
	err := unix.Kill(int(pid), 0)

	return err == nil || err == unix.EPERM
}

type processStat struct {
	parent int32
	used   time.Duration // time used by the process itself
	reaped time.Duration // time used by its ended children
}

// treeTime returns the processor time of processes and all their descendants, including ended ones.
// ok is false if none of the processes exists.
//
// It reads live processes from their clocks in nanoseconds, and ended ones from their parent's
// ticks. A process that ends in between would be lost or counted twice, so treeTime then reads all
// again.
func treeTime(roots []int32) (total time.Duration, ok bool) {
	before := processTree(roots)
	for range mostReadings {
		total = 0
		for pid, s := range before {
			total += s.reaped
			if used, ok := processClock(pid); ok {
				total += used
			} else {
				total += s.used
			}
		}
		after := processTree(roots)
		settled := maps.EqualFunc(before, after, func(a, b processStat) bool { return a.reaped == b.reaped })
		if before = after; settled {
			break
		}
	}

	return total, len(before) > 0
}

// processTree returns processes and their descendants. It omits k6 and its children, in case the
// server has started k6, as in a test.
func processTree(roots []int32) map[int32]processStat {
	k6 := int32(os.Getpid())
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	all := map[int32]processStat{}
	children := map[int32][]int32{}
	for _, e := range entries {
		pid, err := strconv.ParseInt(e.Name(), 10, 32)
		if err != nil {
			continue
		}
		if s, ok := readStat(int32(pid)); ok {
			all[int32(pid)] = s
			children[s.parent] = append(children[s.parent], int32(pid))
		}
	}
	tree := map[int32]processStat{}
	for next := slices.Clone(roots); len(next) > 0; {
		pid := next[0]
		next = next[1:]
		if s, there := all[pid]; there && (pid != k6 || slices.Contains(roots, k6)) {
			if _, twice := tree[pid]; !twice {
				tree[pid] = s
				next = append(next, children[pid]...)
			}
		}
	}

	return tree
}

// readStat reads /proc/PID/stat: see proc_pid_stat(5). ok is false if the process does not exist.
func readStat(pid int32) (s processStat, ok bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, false
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:])) // the state follows the name, which may contain spaces
	number := func(field int) int64 {                                       // numbered as in that page
		if field-3 >= len(fields) {
			return 0
		}
		n, _ := strconv.ParseInt(fields[field-3], 10, 64)

		return n
	}

	return processStat{
		parent: int32(number(4)),
		used:   time.Duration(number(14)+number(15)) * tick,
		reaped: time.Duration(number(16)+number(17)) * tick,
	}, true
}

// processClock reads a process's CPU clock, which includes ended threads: see
// clock_getcpuclockid(3). It returns false if the process or clock does not exist.
func processClock(pid int32) (time.Duration, bool) {
	const sched = 2 // CPUCLOCK_SCHED
	var t unix.Timespec
	if err := unix.ClockGettime(^pid<<3|sched, &t); err != nil {
		return 0, false
	}

	return time.Duration(t.Nano()), true
}

func listeners() ([]listener, error) {
	byInode := map[uint64]*listener{}
	sockets, err := tcpSockets()
	if err != nil {
		return nil, err
	}
	for _, s := range sockets {
		if s.St == unix.BPF_TCP_LISTEN {
			byInode[s.Inode] = &listener{at: addressOf(s.LocalAddr, s.LocalPort)}
		}
	}
	processes, err := procfs.AllProcs()
	if err != nil {
		return nil, err
	}
	for _, p := range processes {
		for _, inode := range socketsOf(p) {
			if l := byInode[inode]; l != nil {
				l.pids = append(l.pids, int32(p.PID))
			}
		}
	}
	all := make([]listener, 0, len(byInode))
	for _, l := range byInode {
		all = append(all, *l)
	}

	return all, nil
}

// tcpSockets returns all sockets of the process's network.
func tcpSockets() (procfs.NetTCP, error) {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return nil, err
	}
	sockets, err := proc.NetTCP() //nolint:staticcheck // netlink is another protocol for the same list
	if err != nil {
		return nil, err
	}
	more, err := proc.NetTCP6()            //nolint:staticcheck // netlink is another protocol for the same list
	if err != nil && !os.IsNotExist(err) { // IPv6 may be disabled
		return nil, err
	}

	return append(sockets, more...), nil
}

// socketsOf returns the inodes of a process's sockets; none for other users' processes.
func socketsOf(p procfs.Proc) (inodes []uint64) {
	files, _ := p.FileDescriptorTargets()
	for _, file := range files {
		if inode, is := strings.CutPrefix(file, "socket:["); is {
			n, _ := strconv.ParseUint(strings.TrimSuffix(inode, "]"), 10, 64)
			inodes = append(inodes, n)
		}
	}

	return inodes
}

func addressOf(ip net.IP, port uint64) netip.AddrPort {
	address, _ := netip.AddrFromSlice(ip)

	return netip.AddrPortFrom(address.Unmap(), uint16(port))
}

// clock returns the processor time of the server's own processes; reading takes a microsecond. It
// returns false if one has ended. It omits children: see forks.
func (p *Server) clock() (total time.Duration, ok bool) {
	for _, pid := range p.pids {
		used, there := processClock(pid)
		if !there {
			return 0, false
		}
		total += used
	}

	return total, true
}

func (p *Server) forks() bool { return len(processTree(p.pids)) != len(p.pids) }
