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

// Server is a local server: the processes that listen at the target's address.
type Server struct {
	pids []int32
}

type listener struct {
	at netip.AddrPort
	// pids are the processes that hold it, if visible to this user.
	pids []int32
}

// FindServer returns the local server that listens at the URL's address and port. It returns nil if
// the server is remote or its processes are not visible.
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

// localAddresses returns the local addresses of a URL's host, in the order in which k6 tries them.
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

// listeningAt returns the processes that accept connections to an address. Like the kernel, it
// prefers a socket for exactly this address to one for all IPv4 addresses, and that to one for all
// IPv4 and IPv6 addresses.
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

// Alive reports whether any process of the server exists.
func (p *Server) Alive() bool { return slices.ContainsFunc(p.pids, alive) }

// CPUTime returns the user and system time of the server's processes and their descendants,
// including ended ones. It returns false if the server has ended. Take two readings to see how busy
// the server is.
func (p *Server) CPUTime() (time.Duration, bool) { return treeTime(p.pids) }

// And combines two servers; either may be nil.
func (p *Server) And(other *Server) *Server {
	if p == nil || other == nil || p == other {
		return cmp.Or(p, other)
	}
	pids := slices.Concat(p.pids, other.pids)
	slices.Sort(pids)

	return &Server{pids: slices.Compact(pids)}
}
