//go:build !linux || portable

package rawsock

import "net"

// Conn returns the connection unchanged.
func Conn(conn net.Conn) net.Conn { return conn }
