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
	KindAuth       = "auth"       // wrong or missing user or password
	KindBusy       = "busy"       // the server is at its connection limit
	KindTooLarge   = "too_large"  // the value exceeds the limit of the server or of this client
	KindFull       = "full"       // the server is out of memory and may not evict
	KindServer     = "server"     // any other error answer
	KindInvalid    = "invalid"    // the server rejects the request
	KindProtocol   = "protocol"   // the answer does not fit the request
	KindUsage      = "usage"      // the call itself is wrong; nothing was sent
)

// Error is the error of a request.
type Error struct {
	Kind    string
	Message string

	cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the network error that caused it, if any.
func (e *Error) Unwrap() error { return e.cause }

// Errorf returns an Error.
func Errorf(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

const maxQuoted = 200

func quoted(line []byte) string {
	if len(line) > maxQuoted {
		return fmt.Sprintf("%q...", line[:maxQuoted])
	}

	return fmt.Sprintf("%q", line)
}

func unexpected(line []byte) *Error {
	return Errorf(KindProtocol, "the server sent %s, which is not an answer to the request", quoted(line))
}

// refusal parses an error answer; e is nil for other lines. inStep reports whether the server has
// read the whole request, so that the next line is the next answer. This is so for requests without
// a value, and for two errors after which memcached 1.6.18 discards the value (too large, out of
// memory).
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
			kind, swallowed = KindAuth, false
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

func (c *Conn) broken(err error) *Error {
	e := &Error{cause: err}
	var timeout net.Error
	switch {
	case c.interrupted.Load():
		e.Kind, e.Message = KindCancelled, "interrupted before the answer arrived"
	case c.closed.Load():
		e.Kind, e.Message = KindConnection, "the connection was closed"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		e.Kind, e.Message = KindTimeout, fmt.Sprintf("no answer within timeout (%s)", c.timeout)
	default:
		e.Kind, e.Message = KindConnection, fmt.Sprintf("the connection broke: %s", describe(err))
	}

	return e
}

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
