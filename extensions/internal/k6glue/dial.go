package k6glue

import (
	"context"
	"net"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib/netext"
)

// Dial opens a connection as k6 does for its own protocols, with the test's hosts, DNS and blocked
// addresses. k6 does not count its bytes, which it would only do at the end of an iteration: the
// module does, with its meter.
func Dial(vu modules.VU) func(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := vu.State().Dialer

	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if counted, ok := conn.(*netext.Conn); ok {
			return counted.Conn, err
		}

		return conn, err
	}
}
