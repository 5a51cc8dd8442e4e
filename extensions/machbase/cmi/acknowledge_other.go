//go:build !linux || 386 || portable

package cmi

import "net"

// acknowledger is only implemented for Linux, except 386.
func acknowledger(net.Conn) func() { return nil }
