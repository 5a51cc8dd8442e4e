package k6x

import (
	"context"
	"net"

	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib/netext"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Dial connects as k6's own protocols do, with the test's hosts, DNS and blocked addresses. Modules
// count the bytes themselves, because k6 would do so only at the end of an iteration. A connection
// that a client makes after its step has started is reported as a reconnect.
func Dial(vu modules.VU) func(ctx context.Context, network, address string) (net.Conn, error) {
	dial, session := DialBeside(vu), SessionOf(vu)

	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err == nil && session != nil && session.Client.Started() {
			measure.TellEvent(measure.EventReconnect, "a client connected", 1)
		}

		return conn, err
	}
}

// DialBeside connects like Dial, but not for a client of a step.
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
