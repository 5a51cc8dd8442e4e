package host

import (
	"cmp"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// Server is a target's server that runs on this machine: the processes that listen at the
// target's address.
type Server struct {
	// pids are in ascending order.
	pids []int32
}

// listener is a TCP socket that waits for connections.
type listener struct {
	at netip.AddrPort
	// pids are the processes that hold it, as far as this user may know.
	pids []int32
}

// FindServer returns the server that listens at the URL's address and port on this machine, or nil:
// the server is elsewhere, or this user may not know its processes.
func FindServer(target string) *Server {
	u, err := url.Parse(target)
	if err != nil {
		return nil
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	addresses := localAddresses(u.Hostname())
	if err != nil || len(addresses) == 0 {
		return nil
	}
	all, err := listeners()
	if err != nil {
		return nil
	}
	for _, address := range addresses {
		if pids := listeningAt(all, netip.AddrPortFrom(address, uint16(port))); len(pids) > 0 {
			return &Server{pids: pids}
		}
	}

	return nil
}

// localAddresses are those of this machine that a host of a URL may mean, in the order in which k6
// tries them.
func localAddresses(host string) []netip.Addr {
	if host == "localhost" {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return nil
	}
	if address = address.Unmap().WithZone(""); isHere(address) {
		return []netip.Addr{address}
	}

	return nil
}

// isHere tells whether an address is one of this machine.
func isHere(address netip.Addr) bool {
	if address.IsLoopback() {
		return true
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}

	return slices.ContainsFunc(own, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())

		return err == nil && prefix.Addr().Unmap() == address
	})
}

// listeningAt returns the processes that get what connects to an address. Like the kernel, it
// prefers a socket of that very address to one of all addresses, and one of all IPv4 addresses to
// one of all addresses of both kinds.
func listeningAt(all []listener, target netip.AddrPort) []int32 {
	candidates := []netip.Addr{target.Addr(), netip.IPv6Unspecified()}
	if target.Addr().Is4() {
		candidates = []netip.Addr{target.Addr(), netip.IPv4Unspecified(), netip.IPv6Unspecified()}
	}
	for _, address := range candidates {
		var pids []int32
		for _, l := range all {
			if l.at.Port() == target.Port() && l.at.Addr().Unmap() == address {
				pids = append(pids, l.pids...)
			}
		}
		if len(pids) > 0 {
			slices.Sort(pids)

			return slices.Compact(pids)
		}
	}

	return nil
}

// Alive tells whether a process of the server is there.
func (p *Server) Alive() bool { return slices.ContainsFunc(p.pids, alive) }

// CPUTime is the processor time, user and system together, that the server has used since it was
// started: its processes, all that they have started, and those of them that have ended. It is
// false when the server has ended.
//
// Two readings and the time between them tell how busy the server is.
func (p *Server) CPUTime() (time.Duration, bool) { return treeTime(p.pids) }

// And is both servers together; either may be nil.
func (p *Server) And(other *Server) *Server {
	if p == nil || other == nil || p == other {
		return cmp.Or(p, other)
	}
	pids := slices.Concat(p.pids, other.pids)
	slices.Sort(pids)

	return &Server{pids: slices.Compact(pids)}
}
