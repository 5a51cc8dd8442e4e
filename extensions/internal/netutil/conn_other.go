//go:build !linux || portable

package netutil

import "net"

// RawConn returns the connection unchanged.
func RawConn(conn net.Conn) net.Conn { return conn }
