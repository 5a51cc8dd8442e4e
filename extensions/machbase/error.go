package machbase

import (
	"errors"
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// Kinds of errors, as scripts see them in an exception's property kind and in the tag outcome.
const (
	KindConnect    = cmi.KindConnect
	KindConnection = cmi.KindConnection
	KindTimeout    = cmi.KindTimeout
	KindCancelled  = cmi.KindCancelled
	KindAuth       = cmi.KindAuth
	KindSyntax     = cmi.KindSyntax
	KindNotFound   = cmi.KindNotFound
	KindBusy       = cmi.KindBusy
	KindAppend     = cmi.KindAppend
	KindUsage      = cmi.KindUsage
	KindServer     = cmi.KindServer
	KindExpect     = "expect"   // an answer is not what was expected
	KindInternal   = crash.Kind // a fault in k6's extensions; its stack is in the log
)

// Error is what goes wrong with an operation.
type Error struct {
	Code    int // the server's error code; 0 for errors that are not the server's
	Kind    string
	Message string

	outOfStep bool // the connection cannot be used any more, whatever the kind
}

// Error returns the message with the server's code.
func (e *Error) Error() string {
	if e.Code != 0 {
		return fmt.Sprintf("%s (machbase error %d)", e.Message, e.Code)
	}

	return e.Message
}

func newError(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// asError makes an Error of any error.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	if crash.Is(err) {
		e = newError(KindInternal, "%s", err)
		e.outOfStep = true

		return e
	}

	return newError(KindConnection, "the connection broke: %s", err)
}

// breaksConnection tells whether the connection cannot be used any more after the error.
func (e *Error) breaksConnection() bool {
	if e.outOfStep {
		return true
	}
	switch e.Kind {
	case KindConnect, KindConnection, KindTimeout:
		return true
	case KindCancelled:
		return e.Code == 0
	default:
		return false
	}
}
