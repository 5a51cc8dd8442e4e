package wireconn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
)

// Kinds of errors that all clients have.
const (
	KindConnect    = "connect"    // the server could not be reached
	KindConnection = "connection" // the connection broke
	KindTimeout    = "timeout"    // no answer in time
	KindCancelled  = "cancelled"  // interrupted
)

// Broke returns the kind and message of an error that ended a call.
func (c *Conn) Broke(err error) (kind, message string) {
	switch {
	case c.interrupted.Load():
		return KindCancelled, "interrupted before the answer arrived"
	case c.closed.Load():
		return KindConnection, "the connection was closed"
	case IsTimeout(err):
		return KindTimeout, fmt.Sprintf("no answer within timeout (%s)", c.timeout)
	default:
		return KindConnection, "the connection broke: " + describe(err, "")
	}
}

// CannotConnect returns the kind and message of an error of Open. server, such as "a memcached", is
// what should have been at the address. limit is the time that ctx allowed.
func CannotConnect(ctx context.Context, err error, server, address string, limit time.Duration) (kind, message string) {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return KindCancelled, "interrupted before the connection was made"
	case ctx.Err() != nil, IsTimeout(err), errors.Is(err, context.DeadlineExceeded):
		return KindConnect, fmt.Sprintf("cannot connect to %s: no answer within connectTimeout (%s)", address, limit)
	default:
		return KindConnect, fmt.Sprintf("cannot connect to %s: %s", address, describe(err, server))
	}
}

// IsTimeout reports whether a deadline caused the error.
func IsTimeout(err error) bool {
	timeout, is := errors.AsType[net.Error](err)

	return errors.Is(err, os.ErrDeadlineExceeded) || is && timeout.Timeout()
}

func describe(err error, server string) string {
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed it"
	case server != "" && netutil.IsConnRefused(err):
		return "connection refused; is " + server + " running there?"
	case errors.Is(err, syscall.ENOENT):
		return "there is no such socket"
	case isDNS && dns.IsNotFound:
		return "there is no such host"
	}
	if call, is := errors.AsType[*os.SyscallError](err); is {
		return call.Err.Error()
	}
	if op, is := errors.AsType[*net.OpError](err); is {
		return op.Err.Error()
	}

	return err.Error()
}
