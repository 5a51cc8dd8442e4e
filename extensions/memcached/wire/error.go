package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/wireconn"
)

// Kinds of errors.
const (
	KindConnect    = wireconn.KindConnect
	KindConnection = wireconn.KindConnection
	KindTimeout    = wireconn.KindTimeout
	KindCancelled  = wireconn.KindCancelled
	KindAuth       = "auth"      // wrong or missing user or password
	KindBusy       = "busy"      // the server is at its connection limit
	KindTooLarge   = "too_large" // the value exceeds the limit of the server or of this client
	KindFull       = "full"      // the server is out of memory and may not evict
	KindServer     = "server"    // any other error answer
	KindInvalid    = "invalid"   // the server rejects the request
	KindProtocol   = "protocol"  // the answer does not fit the request
	KindUsage      = "usage"     // the call itself is wrong; nothing was sent
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
	kind, message := c.Broke(err)

	return &Error{Kind: kind, Message: message, cause: err}
}

func cannotConnect(ctx context.Context, cfg *Config, err error) *Error {
	refused, is := errors.AsType[*Error](err)
	switch {
	case is && refused.Kind == KindAuth:
		return refused
	case is && refused.Kind == KindBusy:
		return Errorf(KindBusy, "cannot connect to %s: %s", cfg.Address, refused.Message)
	}
	kind, message := wireconn.CannotConnect(ctx, err, "a memcached", cfg.Address, cfg.ConnectTimeout)

	return &Error{Kind: kind, Message: message, cause: err}
}
