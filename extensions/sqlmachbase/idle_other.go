//go:build !unix || portable

package sqlmachbase

import "net"

// isIdle cannot tell: a connection that the server has closed fails the next call.
func isIdle(net.Conn) bool { return true }
