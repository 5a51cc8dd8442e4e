package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/wireconn"
)

// Defaults of Options, for a server as its Makefile builds it.
const (
	DefaultThreads              = 4
	DefaultConnectionsPerThread = 120      // below the server's 128 slots: slots of closed connections become free later
	DefaultMaxValue             = 24 << 20 // bytes: the largest value for a thread with a quarter of 100 MiB
)

// Settings describe a server or a cluster.
type Settings struct {
	Generation           Generation
	Threads              int           // number of threads that the server was built with
	ConnectionsPerThread int           // maximum; must not exceed the server's limit
	ConnectTimeout       time.Duration // limit for dialling and the handshake together
	MaxValue             int           // maximum length of a value in bytes, sent or received
}

// Options are Settings, all of them required, and how to connect.
type Options struct {
	Settings

	TLS  *tls.Config   // nil: plain text
	Dial wireconn.Dial // nil: a net.Dialer. The network is tcp6, the only one of the server
}

// DefaultSettings are for a server as its Makefile builds it.
func DefaultSettings() Settings {
	return Settings{
		Generation: G3, Threads: DefaultThreads, ConnectionsPerThread: DefaultConnectionsPerThread,
		ConnectTimeout: 5 * time.Second, MaxValue: DefaultMaxValue,
	}
}

const maxThreads = 1 << 10

// Validate returns an error that names an invalid option and its valid values.
func (o *Settings) Validate() error {
	switch {
	case o.Generation < G1 || o.Generation > G3:
		return fmt.Errorf("generation must be from %s to %s", G1, G3)
	case o.Threads < 1 || o.Threads > maxThreads:
		return fmt.Errorf("threads must be from 1 to %d, not %d", maxThreads, o.Threads)
	case o.ConnectionsPerThread < 1:
		return fmt.Errorf("connectionsPerThread must be at least 1, not %d", o.ConnectionsPerThread)
	case o.ConnectTimeout <= 0:
		return fmt.Errorf("connectTimeout must be more than 0, not %s", o.ConnectTimeout)
	case o.MaxValue < 0:
		return fmt.Errorf("maxValue must be at least 0, not %d", o.MaxValue)
	default:
		return nil
	}
}

// CheckAddress returns an error unless the address is host:port and not IPv4.
func CheckAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	number, bad := strconv.ParseUint(port, 10, 16)
	if err != nil || host == "" || bad != nil || number == 0 {
		return fmt.Errorf("the address must look like [::1]:10047, not %q", address)
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is4() {
		return fmt.Errorf("the address must be an IPv6 address, such as [::1]:%s, not %q: umem-cache supports no other", port, address)
	}

	return nil
}

// dial connects and does what login says, within the connect timeout and the client's deadline.
func (o *Options) dial(c *Client, address string, login func(*conn) *Error) (*conn, *Error) {
	deadline := c.deadline
	if limit := time.Now().Add(o.ConnectTimeout); limit.Before(deadline) {
		deadline = limit
	}
	ctx, cancel := context.WithDeadline(c.ctx, deadline)
	defer cancel()

	n := &conn{generation: o.Generation, maxValue: o.MaxValue}
	err := n.Open(ctx, o.Dial, "tcp6", address, nil, func() (err error) {
		if n.stream, err = n.Stream(ctx, serverName(o.TLS, address)); err != nil {
			return newError(KindConnect, err, "cannot connect to %s: the TLS handshake failed: %s", address, reason(err))
		}
		n.reader = wireconn.NewReader(n.stream, bufferSize)
		if err := n.Begin(time.Until(deadline)); err != nil {
			return broken(err, "the handshake")
		}
		if e := login(n); e != nil {
			return e
		}

		return nil
	})
	if e, is := errors.AsType[*Error](err); is {
		return nil, e
	}
	if err != nil {
		return nil, connectError(err, address)
	}

	return n, nil
}

// serverName adds the address's host to the configuration as the name to verify, if it has none.
func serverName(config *tls.Config, address string) *tls.Config {
	if config == nil || config.ServerName != "" {
		return config
	}
	host, _, _ := net.SplitHostPort(address)
	config = config.Clone()
	config.ServerName = host

	return config
}

func connectError(err error, address string) *Error {
	if wireconn.IsTimeout(err) {
		return newError(KindConnect, err, "cannot connect to %s: no answer in time", address)
	}

	return newError(KindConnect, err, "cannot connect to %s over IPv6: %s", address, reason(err))
}
