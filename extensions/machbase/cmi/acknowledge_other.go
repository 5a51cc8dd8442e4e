//go:build !linux || 386 || portable

package cmi

import "net"

// acknowledger returns nil: immediate acknowledgements are implemented for Linux only, except 386.
func acknowledger(net.Conn) func() { return nil }
