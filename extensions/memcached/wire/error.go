package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
)

// Kinds of errors.
const (
	KindConnect    = "connect"    // the server could not be reached
	KindConnection = "connection" // the connection broke
	KindTimeout    = "timeout"    // no answer in time
	KindCancelled  = "cancelled"  // interrupted
	KindAuth       = "auth"       // wrong user or password, or none where the server wants one
	KindBusy       = "busy"       // the server has as many connections as it may
	KindTooLarge   = "too_large"  // the value is larger than the server, or this client, takes
	KindFull       = "full"       // the server has no room and may not make any
	KindServer     = "server"     // any other error of the server
	KindInvalid    = "invalid"    // the server does not accept the request
	KindProtocol   = "protocol"   // the answer is none of this request
	KindUsage      = "usage"      // the call itself is wrong; nothing was sent
)

// Error is what goes wrong with a request.
type Error struct {
	Kind    string
	Message string

	cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the error of the network, if that is behind it.
func (e *Error) Unwrap() error { return e.cause }

// Errorf returns an Error.
func Errorf(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// maxQuoted is how much of what a server sent is shown in an error.
const maxQuoted = 200

func quoted(line []byte) string {
	if len(line) > maxQuoted {
		return fmt.Sprintf("%q...", line[:maxQuoted])
	}

	return fmt.Sprintf("%q", line)
}

// unexpected is the error of an answer that is none of the request.
func unexpected(line []byte) *Error {
	return Errorf(KindProtocol, "the server sent %s, which is no answer to the request", quoted(line))
}

// refusal reads a line as one of the three forms in which the server says that a request failed. It
// is nil for any other line. Whether the request's value was read to its end, so that the next line
// is the next answer, is known for the two errors after which memcached swallows it (1.6.18: too
// large, out of memory) and without a value.
func refusal(line []byte, verb Verb) (e *Error, inStep bool) {
	kind, text, swallowed := "", line, verb.shape() != storing
	switch {
	case bytes.Equal(line, []byte("ERROR")):
		return Errorf(KindInvalid, "the server does not know the command"), swallowed
	case bytes.HasPrefix(line, []byte("ERROR Too many open connections")):
		return Errorf(KindBusy, "the server says: too many open connections"), false
	case bytes.HasPrefix(line, []byte("CLIENT_ERROR")):
		kind, text = KindInvalid, line[len("CLIENT_ERROR"):]
		if bytes.Contains(text, []byte("unauthenticated")) {
			kind, swallowed = KindAuth, false // it reads no further, whatever has been sent behind
		}
	case bytes.HasPrefix(line, []byte("SERVER_ERROR")):
		kind, text = KindServer, line[len("SERVER_ERROR"):]
		if bytes.Contains(text, []byte("too large")) {
			kind, swallowed = KindTooLarge, true
		} else if bytes.Contains(text, []byte("out of memory")) {
			kind = KindFull
			swallowed = swallowed || bytes.Contains(text, []byte("storing object"))
		}
	default:
		return nil, true
	}

	text = bytes.TrimSpace(text)
	if len(text) > maxQuoted {
		text = text[:maxQuoted]
	}

	return Errorf(kind, "the server says: %s", bytes.ToValidUTF8(text, []byte("?"))), swallowed
}

// broken is the error of a connection that failed with err.
func (c *Conn) broken(err error) *Error {
	e := &Error{cause: err}
	var timeout net.Error
	switch {
	case c.interrupted.Load():
		e.Kind, e.Message = KindCancelled, "interrupted before the answer came"
	case c.closed.Load():
		e.Kind, e.Message = KindConnection, "the connection was closed"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		e.Kind, e.Message = KindTimeout, fmt.Sprintf("no answer within timeout (%s)", c.timeout)
	default:
		e.Kind, e.Message = KindConnection, fmt.Sprintf("the connection broke: %s", describe(err))
	}

	return e
}

// cannotConnect explains in one line why a connection could not be made.
func cannotConnect(ctx context.Context, cfg *Config, err error) *Error {
	e := &Error{Kind: KindConnect, cause: err}
	var timeout net.Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		e.Kind, e.Message = KindCancelled, "interrupted before the connection was made"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		e.Message = fmt.Sprintf("cannot connect to %s: no answer within connectTimeout (%s)", cfg.Address, cfg.ConnectTimeout)
	default:
		e.Message = fmt.Sprintf("cannot connect to %s: %s", cfg.Address, describe(err))
	}

	return e
}
