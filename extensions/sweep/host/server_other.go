//go:build !linux || portable

package host

import (
	"net/netip"
	"os"
	"slices"
	"time"

	psnet "github.com/shirou/gopsutil/v4/net"
	"github.com/shirou/gopsutil/v4/process"
)

// alive tells whether there is such a process.
func alive(pid int32) bool {
	there, err := process.PidExists(pid)

	return there || err != nil
}

// treeTime is the processor time of processes and of all that descend from them now, without that
// of k6 where a server has started it. It is false when none of the processes is there.
func treeTime(roots []int32) (total time.Duration, ok bool) {
	self := int32(os.Getpid())
	seen := map[int32]bool{self: !slices.Contains(roots, self)}
	for next := roots; len(next) > 0; {
		pid := next[0]
		next = next[1:]
		p, err := process.NewProcess(pid)
		if err != nil || seen[pid] {
			continue
		}
		seen[pid] = true
		times, err := p.Times()
		if err != nil {
			continue
		}
		total, ok = total+time.Duration((times.User+times.System)*float64(time.Second)), true
		children, _ := p.Children() // an error means that there is none
		for _, c := range children {
			next = append(next[:len(next):len(next)], c.Pid)
		}
	}

	return total, ok
}

// clock is false: there are no clocks here that can be read that often.
func (p *Server) clock() (time.Duration, bool) { return 0, false }

// forks is true: what it cannot tell, it does not claim.
func (p *Server) forks() bool { return true }

// listeners returns the TCP sockets of this machine that wait for connections.
func listeners() ([]listener, error) {
	connections, err := psnet.Connections("tcp")
	if err != nil {
		return nil, err
	}
	var all []listener
	for _, c := range connections {
		if c.Status != "LISTEN" || c.Pid == 0 {
			continue
		}
		address, err := netip.ParseAddr(c.Laddr.IP)
		if err != nil { // some systems write "*" for all addresses
			address = netip.IPv6Unspecified()
		}
		all = append(all, listener{at: netip.AddrPortFrom(address, uint16(c.Laddr.Port)), pids: []int32{c.Pid}})
	}

	return all, nil
}
