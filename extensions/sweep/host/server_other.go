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

func alive(pid int32) bool {
	there, err := process.PidExists(pid)

	return there || err != nil
}

// treeTime returns the processor time of processes and their current descendants, except k6. It
// returns false if none of the processes exists.
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
		children, _ := p.Children() // an error means no children
		for _, c := range children {
			next = append(next[:len(next):len(next)], c.Pid)
		}
	}

	return total, ok
}

// clock returns false: no cheap clock exists here.
func (p *Server) clock() (time.Duration, bool) { return 0, false }

// forks returns true, because it cannot know.
func (p *Server) forks() bool { return true }

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
