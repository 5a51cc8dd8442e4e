// Package host observes the machine that k6 runs on: processor time of k6 and a local server,
// whether that server is idle, a cache's memory, and the settings of Go's garbage collector. It
// does not depend on k6.
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

const (
	// RestWindow is the period over which a server's processor use is averaged.
	RestWindow = 250 * time.Millisecond
	// restWindows is how many windows decide whether a server is idle: a second.
	restWindows = 4
	// restCores is the maximum use of an idle server in cores.
	restCores = 0.05
	// steadyWindows is how many windows show steady background work: ten seconds.
	steadyWindows = 40
	// steadyCores is the maximum of background work in cores, and steadyPart its maximum relative
	// change.
	steadyCores, steadyPart = 0.15, 0.2
)

// RestMeter decides from its processor use whether a server is idle.
type RestMeter struct {
	cores []float64
}

// Add adds the use in the next window, in cores.
func (m *RestMeter) Add(cores float64) { m.cores = append(m.cores, cores) }

// Known reports whether Level has enough windows.
func (m *RestMeter) Known() bool { return len(m.cores) >= restWindows }

// Level returns the current use in cores.
func (m *RestMeter) Level() float64 { return m.mean(restWindows, 0) }

// mean averages n windows before the last skipped ones; 0 without any.
func (m *RestMeter) mean(n, skipped int) (mean float64) {
	end := max(len(m.cores)-skipped, 0)
	values := m.cores[max(end-n, 0):end]
	for _, cores := range values {
		mean += cores / float64(len(values))
	}

	return mean
}

// AtRest reports whether the server is idle, or does only a little steady background work.
func (m *RestMeter) AtRest() bool {
	switch {
	case !m.Known():
		return false
	case m.Level() <= restCores:
		return true
	case len(m.cores) < steadyWindows:
		return false
	}
	const half = steadyWindows / 2
	before, now := m.mean(half, half), m.mean(half, 0)

	return max(before, now) <= steadyCores && max(before, now)-min(before, now) <= steadyPart*max(before, now)
}
