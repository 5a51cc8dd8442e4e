//go:build !portable

package host

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// tick is the unit of times in /proc: USER_HZ is 100 on all systems that Go runs on.
	tick = time.Second / 100
	// mostReadings bounds how often the processes of a server are read again because some began or
	// ended meanwhile.
	mostReadings = 4
	// listening is the state of a socket in /proc/net/tcp: TCP_LISTEN.
	listening = "0A"
)

// alive tells whether there is such a process.
func alive(pid int32) bool {
	err := unix.Kill(int(pid), 0)

	return err == nil || err == unix.EPERM
}

// processStat is what /proc tells of a process.
type processStat struct {
	parent int32
	used   time.Duration // by itself
	reaped time.Duration // by children of it that have ended
}

// treeTime is the processor time of processes and of all that descend from them, those that have
// ended included. It is false when none of the processes is there.
//
// What lives is read from the processes' own clocks, in nanoseconds. What has ended is in the ticks
// of its parent. A process that ends between the two readings would be lost or count twice: then
// all are read again.
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

// processTree returns processes and all that descend from them, as far as they are there. k6 is
// none of them, nor what it has started, where a server has started it: as a test does whose server
// is part of it.
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
			continue // not a process
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

// readStat reads /proc/PID/stat: see proc_pid_stat(5). It is false when there is no such process.
func readStat(pid int32) (s processStat, ok bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, false
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:])) // a name may have spaces; the state follows it
	number := func(field int) int64 {                                       // as that page counts them
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

// processClock reads the processor time that a process has used, threads that have ended included,
// from its clock: see clock_getcpuclockid(3). It is false when the process is not there, and where
// the kernel has no such clock.
func processClock(pid int32) (time.Duration, bool) {
	const sched = 2 // CPUCLOCK_SCHED
	var t unix.Timespec
	if err := unix.ClockGettime(^pid<<3|sched, &t); err != nil {
		return 0, false
	}

	return time.Duration(t.Nano()), true
}

// listeners returns the TCP sockets of this machine that wait for connections.
func listeners() ([]listener, error) {
	byInode := map[string]*listener{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		if err := readListeners(table, byInode); err != nil && !os.IsNotExist(err) { // there may be no IPv6
			return nil, err
		}
	}
	links, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	for _, e := range links {
		pid, err := strconv.ParseInt(e.Name(), 10, 32)
		if err != nil {
			continue // not a process
		}
		folder := "/proc/" + e.Name() + "/fd/"
		files, _ := os.ReadDir(folder) // of another user's process there are none
		for _, f := range files {
			link, _ := os.Readlink(folder + f.Name())
			inode, is := strings.CutPrefix(link, "socket:[")
			if l := byInode[strings.TrimSuffix(inode, "]")]; is && l != nil {
				l.pids = append(l.pids, int32(pid))
			}
		}
	}
	all := make([]listener, 0, len(byInode))
	for _, l := range byInode {
		all = append(all, *l)
	}

	return all, nil
}

// readListeners reads the sockets of a table such as /proc/net/tcp that wait for connections.
func readListeners(table string, into map[string]*listener) error {
	f, err := os.Open(table)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// The fields are: sl local_address rem_address st queues timer retrnsmt uid timeout inode
		// ...
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || fields[3] != listening {
			continue
		}
		if at, err := parseSocketAddress(fields[1]); err == nil {
			into[fields[9]] = &listener{at: at}
		}
	}

	return lines.Err()
}

// parseSocketAddress reads an address as /proc/net/tcp writes it: words of 32 bits in the machine's
// own order of bytes, and the port, all in hexadecimal.
func parseSocketAddress(text string) (netip.AddrPort, error) {
	address, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(address)
	if err != nil {
		return netip.AddrPort{}, err
	}
	for word := range slices.Chunk(raw, 4) {
		if len(word) == 4 {
			binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
		}
	}
	ip, ok := netip.AddrFromSlice(raw)
	if !ok {
		return netip.AddrPort{}, fmt.Errorf("%q is no address", address)
	}
	n, err := strconv.ParseUint(port, 16, 16)

	return netip.AddrPortFrom(ip, uint16(n)), err
}

// clock is the processor time that the server has used, which is read in a microsecond. It is false
// when one of its processes has ended. Of a server that starts others, see forks, it is not all.
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

// forks tells whether the server has started other processes.
func (p *Server) forks() bool { return len(processTree(p.pids)) != len(p.pids) }
