package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
)

// Kinds of errors.
const (
	KindConnect      = "connect"       // the server could not be reached
	KindConnection   = "connection"    // the connection broke
	KindTimeout      = "timeout"       // no answer in time
	KindCancelled    = "cancelled"     // interrupted
	KindAuth         = "auth"          // the server rejects the user, or the user may not do this
	KindBusy         = "busy"          // the server is at its limit of connections or subscriptions
	KindNoResponders = "no_responders" // no one listens to the subject
	KindTooLarge     = "too_large"     // the server's size limit is exceeded
	KindServer       = "server"        // any other error answer
	KindProtocol     = "protocol"      // the server violates the protocol
	KindUsage        = "usage"         // the call itself is wrong; nothing was sent
)

// Error is the error of a request.
type Error struct {
	Kind    string
	Message string
	// Code is JetStream's error code, or 0.
	Code int

	cause error
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the network error that caused it, if any.
func (e *Error) Unwrap() error { return e.cause }

// Errorf returns an Error.
func Errorf(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// The first match counts.
var complaints = []struct { //nolint:gochecknoglobals // a table
	text, kind string
	goesOn     bool
}{
	{"permissions violation", KindAuth, true},
	{"maximum subscriptions exceeded", KindBusy, true},
	{"maximum connections exceeded", KindBusy, false},
	{"maximum account active connections exceeded", KindBusy, false},
	{"authorization violation", KindAuth, false},
	{"authorization timeout", KindAuth, false},
	{"user authentication", KindAuth, false},
	{"account authentication", KindAuth, false},
	{"maximum payload violation", KindTooLarge, false},
}

func complaint(said []byte) (e *Error, goesOn bool) {
	text := bytes.Trim(bytes.TrimSpace(said), "'")
	if len(text) > maxQuoted {
		text = text[:maxQuoted]
	}
	message := string(bytes.ToValidUTF8(text, []byte("?")))
	for _, known := range complaints {
		if begin := []byte(known.text); len(text) >= len(begin) && bytes.EqualFold(text[:len(begin)], begin) {
			return &Error{Kind: known.kind, Message: message}, known.goesOn
		}
	}

	return Errorf(KindConnection, "the server ends the connection: %s", message), false
}

// Complaint returns the error of an -ERR message.
func Complaint(said []byte) error {
	e, _ := complaint(said)

	return e
}

const maxQuoted = 200

func quoted(said []byte) string {
	if len(said) > maxQuoted {
		return fmt.Sprintf("%q...", said[:maxQuoted])
	}

	return fmt.Sprintf("%q", said)
}

func (c *Conn) broken(err error) *Error {
	e := &Error{cause: err}
	own, is := errors.AsType[*Error](err)
	switch {
	case c.interrupted.Load():
		e.Kind, e.Message = KindCancelled, "interrupted before the answer arrived"
	case c.closed.Load():
		e.Kind, e.Message = KindConnection, "the connection was closed"
	case is:
		return own
	case isTimeout(err):
		e.Kind, e.Message = KindTimeout, fmt.Sprintf("no answer within timeout (%s)", c.timeout)
	default:
		e.Kind, e.Message = KindConnection, "the connection broke: "+describe(err)
	}

	return e
}

func isTimeout(err error) bool {
	timeout, is := errors.AsType[net.Error](err)

	return errors.Is(err, os.ErrDeadlineExceeded) || is && timeout.Timeout()
}

func cannotConnect(ctx context.Context, cfg *Config, err error) *Error {
	e := &Error{Kind: KindConnect, cause: err}
	own, is := errors.AsType[*Error](err)
	var why string
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		e.Kind, e.Message = KindCancelled, "interrupted before the connection was made"

		return e
	case isTimeout(err), errors.Is(err, context.DeadlineExceeded), ctx.Err() != nil:
		why = fmt.Sprintf("no answer within connectTimeout (%s)", cfg.ConnectTimeout)
	case is:
		why = own.Message
		if own.Kind == KindAuth || own.Kind == KindBusy {
			e.Kind = own.Kind
		}
	default:
		why = describe(err)
	}
	e.Message = fmt.Sprintf("cannot connect to %s: %s", cfg.Address, why)

	return e
}

func describe(err error) string {
	dns, isDNS := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed it"
	case netutil.IsConnRefused(err):
		return "connection refused; is a nats-server running there?"
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
