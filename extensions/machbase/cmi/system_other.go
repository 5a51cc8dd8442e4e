//go:build !linux || portable

package cmi

import "net"

// acknowledger is only implemented for Linux.
func acknowledger(net.Conn) func() { return nil }

// exchanger is only implemented for Linux.
func exchanger(net.Conn) func(request, answer []byte) (sent, received int, err error) { return nil }
