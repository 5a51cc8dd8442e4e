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
	KindConnect      = wireconn.KindConnect
	KindConnection   = wireconn.KindConnection
	KindTimeout      = wireconn.KindTimeout
	KindCancelled    = wireconn.KindCancelled
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
	if own, is := errors.AsType[*Error](err); is && !c.Ended() {
		return own
	}
	kind, message := c.Broke(err)

	return &Error{Kind: kind, Message: message, cause: err}
}

func cannotConnect(ctx context.Context, cfg *Config, err error) *Error {
	kind, message := wireconn.CannotConnect(ctx, err, "a nats-server", cfg.Address, cfg.ConnectTimeout)
	if own, is := errors.AsType[*Error](err); is && ctx.Err() == nil && (own.Kind == KindAuth || own.Kind == KindBusy) {
		kind = own.Kind
	}

	return &Error{Kind: kind, Message: message, cause: err}
}
