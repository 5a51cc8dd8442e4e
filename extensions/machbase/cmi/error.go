package cmi

import "fmt"

// Kinds of errors.
const (
	KindConnect    = "connect"    // the server could not be reached
	KindConnection = "connection" // the connection broke
	KindProtocol   = "protocol"   // an answer violates the protocol; the connection is closed
	KindTimeout    = "timeout"    // no answer in time; the connection is closed
	KindCancelled  = "cancelled"  // the context ended, and the connection is closed; with a code: the server cancelled the query
	KindAuth       = "auth"       // unknown user or wrong password
	KindSyntax     = "syntax"     // the server cannot parse the statement
	KindNotFound   = "not_found"  // no such table, column or roll-up
	KindBusy       = "busy"       // too many sessions, or a lock
	KindConflict   = "conflict"   // it exists already
	KindAppend     = "append"     // a row cannot be appended
	KindUsage      = "usage"      // the call itself is wrong
	KindServer     = "server"     // any other error of the server
)

// Error is the error of a call.
type Error struct {
	// Code is the server's error code; 0 for other errors.
	Code int
	// Kind is one of the constants above.
	Kind    string
	Message string

	reset bool // the server has reset the connection
}

// Error returns the message with the server's code.
func (e *Error) Error() string {
	if e.Code != 0 {
		return fmt.Sprintf("%s (machbase error %d)", e.Message, e.Code)
	}

	return e.Message
}

// NewError returns an error of the client.
func NewError(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// ServerError returns an error of the server.
func ServerError(code int, message string) *Error {
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
	case 2024:
		kind = KindConflict
	case 3017, 3018:
		kind = KindAppend
	case 3027:
		kind = KindCancelled
	}

	return &Error{Code: code, Kind: kind, Message: message}
}

func usage(format string, args ...any) *Error { return NewError(KindUsage, format, args...) }

func protocolError(format string, args ...any) *Error {
	return NewError(KindProtocol, "the server's answer is invalid: "+format, args...)
}
