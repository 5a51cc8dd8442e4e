//go:build !portable

package host

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

const mostThreads = 2048

type systemAccount struct {
	// waited is how long threads of k6 and the server were ready but did not run; k6Waited is k6's
	// part.
	waited, k6Waited time.Duration
	threads          map[int]time.Duration
	groups           []controlGroup
	sockets          map[int]socket
	files            int
}

// controlGroup is a control group of k6 with a quota.
type controlGroup struct {
	folder             string
	periods, throttled uint64
}

type socket struct {
	port                       uint32
	sent, again, busy, blocked uint64
}

func readAccount(pids []int32) systemAccount {
	s := systemAccount{threads: map[int]time.Duration{}, groups: controlGroups(os.DirFS("/"))}
	for _, t := range threadsOf(os.Getpid()) {
		s.k6Waited += t.waited
	}
	s.waited = s.k6Waited
	for _, pid := range pids {
		for _, t := range threadsOf(int(pid)) {
			s.threads[t.id] = t.ran
			s.waited += t.waited
		}
	}
	s.sockets, s.files = openSockets()

	return s
}

// since adds the differences to an earlier account, seconds ago, to the evidence.
func (s *systemAccount) since(earlier *systemAccount, e witness.Evidence, seconds float64) {
	e[witness.Waited] = max(s.waited-earlier.waited, 0).Seconds() / seconds
	e[witness.K6Waited] = max(s.k6Waited-earlier.k6Waited, 0).Seconds() / seconds
	if len(s.threads) > 0 {
		e[witness.ServerThread] = min(s.busiest(earlier).Seconds()/seconds, 1)
	}
	for _, g := range s.groups {
		for _, before := range earlier.groups {
			if periods := g.periods - before.periods; g.folder == before.folder && periods >= leastPeriods {
				e[witness.Throttled] = max(e[witness.Throttled], float64(g.throttled-before.throttled)/float64(periods))
			}
		}
	}
	var all socket
	for fd, now := range s.sockets {
		before, known := earlier.sockets[fd]
		if !known || before.port != now.port || before.sent > now.sent {
			before = socket{}
		}
		all.sent += now.sent - before.sent
		all.again += now.again - min(before.again, now.again)
		all.busy += now.busy - min(before.busy, now.busy)
		all.blocked += now.blocked - min(before.blocked, now.blocked)
	}
	if all.sent > 0 {
		e[witness.Retransmitted], e[witness.SentAgain] = float64(all.again)/float64(all.sent), float64(all.again)
	}
	if busy := float64(all.busy) / 1e6; busy >= leastBusy*seconds {
		e[witness.Blocked] = float64(all.blocked) / float64(all.busy)
	}
	e[witness.OpenFiles] = float64(s.files)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err == nil && limit.Cur != unix.RLIM_INFINITY {
		e[witness.FileLimit] = float64(limit.Cur)
	}
}

func (s *systemAccount) busiest(earlier *systemAccount) (most time.Duration) {
	for id, ran := range s.threads {
		if before, known := earlier.threads[id]; known {
			most = max(most, ran-before)
		}
	}

	return most
}

// readMachine reads /proc/stat: see proc_stat(5). It returns nil if that fails.
func readMachine() *machineTimes {
	file, err := machineFile()
	if err != nil {
		return nil
	}
	raw, err := readAgain(file)
	if err != nil {
		return nil
	}

	return parseMachine(raw, interruptsApart())
}

// machineFile is /proc/stat, kept open because opening takes two thirds of a reading.
var machineFile = sync.OnceValues(func() (*os.File, error) { //nolint:gochecknoglobals // there is one machine
	return os.Open("/proc/stat")
})

// readAgain reads a generated file in one call, so that all of it is from one time.
func readAgain(file *os.File) ([]byte, error) {
	for size := 8 << 10; ; size *= 2 {
		raw := make([]byte, size)
		n, err := file.ReadAt(raw, 0)
		switch {
		case errors.Is(err, io.EOF):
			return raw[:n], nil
		case err != nil:
			return nil, err
		}
	}
}

// parseMachine parses /proc/stat. apart says whether process times exclude interrupts.
func parseMachine(raw []byte, apart bool) *machineTimes {
	m := &machineTimes{}
	for line := range bytes.Lines(raw) {
		if !bytes.HasPrefix(line, []byte("cpu")) {
			break
		}
		// Fields: cpu user nice system idle iowait irq softirq steal ...
		fields := strings.Fields(string(line))
		if fields[0] != "cpu" {
			m.processors++

			continue
		}
		ticks := func(field int) time.Duration {
			if field >= len(fields) {
				return 0
			}
			n, _ := strconv.ParseInt(fields[field], 10, 64)

			return time.Duration(n) * tick
		}
		m.idle, m.stolen = ticks(4)+ticks(5), ticks(8)
		if apart {
			m.interrupts = ticks(6) + ticks(7)
		}
	}
	if m.processors == 0 {
		return nil
	}

	return m
}

type thread struct {
	id          int
	ran, waited time.Duration
}

// threadsOf reads when the threads of a process ran and waited: see
// Documentation/scheduler/sched-stats.rst in the kernel.
func threadsOf(pid int) (threads []thread) {
	all, _ := procfs.AllThreads(pid)
	for _, t := range all[:min(len(all), mostThreads)] {
		if s, err := t.Schedstat(); err == nil {
			threads = append(threads, thread{t.PID, time.Duration(s.RunningNanoseconds), time.Duration(s.WaitingNanoseconds)})
		}
	}

	return threads
}

// controlGroups returns those of ownGroups with throttling statistics: cpu.stat of version 2
// (admin-guide/cgroup-v2.rst in the kernel) or 1 (scheduler/sched-bwc.rst).
func controlGroups(root fs.FS) (groups []controlGroup) {
	for controllers, at := range ownGroups(root) {
		folder := "sys/fs/cgroup"
		switch {
		case controllers == "":
		case hasController(controllers, "cpu"):
			folder += "/cpu"
		default:
			continue
		}
		if g, ok := readThrottled(root, path.Join(folder, at)); ok {
			groups = append(groups, g)
		}
	}

	return groups
}

func readThrottled(root fs.FS, folder string) (g controlGroup, ok bool) {
	raw, err := fs.ReadFile(root, path.Join(folder, "cpu.stat"))
	if err != nil {
		return g, false
	}
	g.folder = folder
	for line := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			continue
		}
		switch name {
		case "nr_periods":
			g.periods, ok = n, true
		case "nr_throttled":
			g.throttled = n
		}
	}

	return g, ok
}

// openSockets reads the TCP statistics of k6's sockets, and counts k6's open files.
func openSockets() (sockets map[int]socket, files int) {
	sockets = map[int]socket{}
	files = eachConnection(func(fd int, info *unix.TCPInfo) {
		local, _ := unix.Getsockname(fd)
		sockets[fd] = socket{
			port: uint32(placeOf(local).Port()), sent: uint64(info.Segs_out), again: uint64(info.Total_retrans),
			busy: info.Busy_time, blocked: info.Sndbuf_limited,
		}
	})

	return sockets, files
}

// eachConnection visits k6's TCP connections, and returns the number of its open files. It asks the
// sockets, because /proc/net/tcp is no snapshot, and takes seconds with many closed connections.
func eachConnection(visit func(fd int, info *unix.TCPInfo)) (files int) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
		if err == nil && info.State == unix.BPF_TCP_ESTABLISHED {
			visit(fd, info)
		}
	}

	return len(entries) - 1 // except the folder itself
}

func placeOf(address unix.Sockaddr) netip.AddrPort {
	switch a := address.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(a.Addr).Unmap(), uint16(a.Port))
	}

	return netip.AddrPort{}
}

func clocks(pids []int32) (used time.Duration) {
	for _, pid := range pids {
		one, _ := processClock(pid)
		used += one
	}

	return used
}

func descendants(pids []int32) (all []int32) {
	if len(pids) == 0 {
		return nil
	}
	for pid := range processTree(pids) {
		all = append(all, pid)
	}

	return all
}

// peers returns the processes that most of k6's connections lead to. here reports whether they are
// local. known is false without connections, if as many are remote, or if the processes are not
// visible.
func peers() (pids []int32, here, known bool) {
	own := ownConnections()
	var most netip.AddrPort
	second := 0
	for at, n := range own {
		switch {
		case n > own[most]:
			most, second = at, own[most]
		default:
			second = max(second, n)
		}
	}
	if own[most] == 0 || own[most] == second {
		return nil, false, false
	}
	if !isHere(most.Addr()) {
		return nil, false, true
	}
	all, err := listeners()
	if err != nil {
		return nil, false, false
	}
	pids = listeningAt(all, most)
	if len(pids) == 0 || pids[0] == int32(os.Getpid()) {
		return nil, false, false
	}

	return pids, true, true
}

func ownConnections() map[netip.AddrPort]int {
	count := map[netip.AddrPort]int{}
	eachConnection(func(fd int, _ *unix.TCPInfo) {
		if remote, err := unix.Getpeername(fd); err == nil {
			count[placeOf(remote)]++
		}
	})

	return count
}

func cpuQuota() float64 {
	var f report.Fingerprint
	readControlGroup(&f, os.DirFS("/"))

	return f.CPUQuota
}

// interruptsApart reports whether the kernel excludes interrupts from process times
// (CONFIG_IRQ_TIME_ACCOUNTING). If not, process times include them, and /proc/stat estimates them a
// second time. No file shows the setting, so it is measured: a thread sends packets to itself for a
// few milliseconds, and the kernel spends a third of that in soft interrupts. If the thread's own
// time covers the whole period, process times include interrupts.
var interruptsApart = sync.OnceValue(func() bool { //nolint:gochecknoglobals // there is one kernel
	// Other threads rarely take all of such short times.
	for range 30 {
		if part, err := ownPartOfSending(500 * time.Microsecond); err != nil || part >= 0.92 {
			return err != nil // errs towards too little interrupt time
		}
	}

	return true
})

// ownPartOfSending returns the share of the time that the kernel attributes to the sending thread.
func ownPartOfSending(length time.Duration) (part float64, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = unix.Close(fd) }()
	if err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	self, err := unix.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	// Read the kernel's clock, because package time's stands still in synctest bubbles.
	clock := func(id int32) time.Duration {
		var now unix.Timespec
		if err == nil {
			err = unix.ClockGettime(id, &now)
		}

		return time.Duration(now.Nano())
	}
	began, begin := clock(unix.CLOCK_MONOTONIC), clock(unix.CLOCK_THREAD_CPUTIME_ID)
	for err == nil && clock(unix.CLOCK_MONOTONIC)-began < length {
		_ = unix.Sendto(fd, []byte{0}, unix.MSG_DONTWAIT, self) // dropped when the socket is full, which is also work
	}
	end := clock(unix.CLOCK_THREAD_CPUTIME_ID)

	return float64(end-begin) / float64(clock(unix.CLOCK_MONOTONIC)-began), err
}
