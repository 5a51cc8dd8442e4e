package machbase

import (
	"errors"
	"fmt"
	"strings"
)

// Kinds of errors, as scripts see them in an exception's property kind and in the tag outcome.
const (
	KindConnect    = "connect"    // the server could not be reached
	KindConnection = "connection" // the connection broke
	KindTimeout    = "timeout"    // no answer in time; the connection is given up
	KindCancelled  = "cancelled"  // the test ended, or the server cancelled the query
	KindAuth       = "auth"       // unknown user or wrong password
	KindSyntax     = "syntax"     // the server does not understand the statement
	KindNotFound   = "not_found"  // no such table, column or roll-up
	KindBusy       = "busy"       // the server has no room: too many sessions, or a lock
	KindAppend     = "append"     // a row cannot be appended
	KindExpect     = "expect"     // an answer is not what was expected
	KindUsage      = "usage"      // the call itself is wrong
	KindServer     = "server"     // any other error of the server
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

// serverError is an error that the server reported.
func serverError(code int, message string) *Error {
	kind := KindServer
	switch code {
	case 2010:
		kind = KindSyntax
	case 2025, 2056, 2654:
		kind = KindNotFound
	case 2080, 2081:
		kind = KindAuth
	case 2031, 3039:
		kind = KindBusy
	case 3017:
		kind = KindAppend
	case 3027:
		kind = KindCancelled
	}

	return &Error{Code: code, Kind: kind, Message: message}
}

// asError makes an Error of any error.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
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
	case KindConnect, KindConnection, KindTimeout, KindAppend:
		return true
	case KindCancelled:
		return e.Code == 0
	default:
		return false
	}
}

// connectError explains why a connection could not be made, in one line without the password. It goes by the text:
// a driver may have lost the error itself.
func connectError(address string, err error) *Error {
	text := err.Error()
	switch {
	case strings.Contains(text, "connection refused"):
		return newError(KindConnect, "cannot connect to %s: connection refused; is a Machbase server running there?", address)
	case strings.Contains(text, "no such host"):
		return newError(KindConnect, "cannot connect to %s: there is no such host", address)
	case strings.Contains(text, "timeout"):
		return newError(KindConnect, "cannot connect to %s: no answer in time", address)
	default:
		return newError(KindConnect, "cannot connect to %s: %s", address, text)
	}
}
