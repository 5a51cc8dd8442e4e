package k6glue

import (
	"context"
	"net"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib/netext"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/happened"
)

// Dial opens a connection as k6 does for its own protocols, with the test's hosts, DNS and blocked
// addresses. k6 does not count its bytes, which it would only do at the end of an iteration: the
// module does, with its meter.
//
// All clients of a step connect before its start line. A connection that one makes afterwards is
// told of: it was made again, as after a restart of the server.
func Dial(vu modules.VU) func(ctx context.Context, network, address string) (net.Conn, error) {
	dial, session := DialBeside(vu), SessionOf(vu)

	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err == nil && session != nil && session.Client.Started() {
			happened.Tell(happened.Reconnect, "a client connected", 1)
		}

		return conn, err
	}
}

// DialBeside opens a connection as Dial does, which is none of a client's.
func DialBeside(vu modules.VU) func(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := vu.State().Dialer
	if turns, is := dialer.(*turnDialer); is {
		dialer = turns.DialContexter
	}

	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if counted, ok := conn.(*netext.Conn); ok {
			return counted.Conn, err
		}

		return conn, err
	}
}
