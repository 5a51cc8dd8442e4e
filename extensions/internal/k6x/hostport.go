package k6x

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// The errors of HostPort do not show the address, which may contain part of a password.
var (
	errPort = errors.New("the port of a server must be from 1 to 65535")
	errZone = errors.New("an address of IPv6 with a zone, such as fe80::1%eth0, cannot be reached: k6 leaves the zone out as it connects")
	errHost = errors.New("the host of a server must be a name or an address; one of IPv6 is written in brackets, such as [::1]:1234")
)

// HostPort returns host:port after checking both.
func HostPort(host, port string) (string, error) {
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", errPort
	}
	ip, err := netip.ParseAddr(host)
	if err != nil && strings.Contains(host, ":") {
		return "", errHost
	}
	if ip.Zone() != "" {
		return "", errZone
	}

	return net.JoinHostPort(host, port), nil
}
