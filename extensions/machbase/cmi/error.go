package cmi

import "fmt"

// Kinds of errors.
const (
	KindConnect    = "connect"    // the server could not be reached
	KindConnection = "connection" // the connection broke
	KindProtocol   = "protocol"   // what came is no answer; the connection is closed
	KindTimeout    = "timeout"    // no answer in time; the connection is closed
	KindCancelled  = "cancelled"  // the context ended, and the connection is closed; or, with a code, the server cancelled the query
	KindAuth       = "auth"       // unknown user or wrong password
	KindSyntax     = "syntax"     // the server does not understand the statement
	KindNotFound   = "not_found"  // no such table, column or roll-up
	KindBusy       = "busy"       // the server has no room: too many sessions, or a lock
	KindConflict   = "conflict"   // what is to be made exists already
	KindAppend     = "append"     // a row cannot be appended
	KindUsage      = "usage"      // the call itself is wrong
	KindServer     = "server"     // any other error of the server
)

// Error is what goes wrong with a call.
type Error struct {
	// Code is the server's error code; 0 for errors that are not the server's.
	Code int
	// Kind is one of the constants above.
	Kind    string
	Message string
	// Detail is what the server adds to some messages, such as the row that it could not append.
	Detail string

	reset bool // the server has reset the connection
}

// Error returns the message with the server's code.
func (e *Error) Error() string {
	if e.Code != 0 {
		return fmt.Sprintf("%s (machbase error %d)", e.Message, e.Code)
	}

	return e.Message
}

// NewError returns an error that is not the server's.
func NewError(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// ServerError returns an error that the server reported.
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

// garbage is an answer that is none. The connection is closed after it.
func garbage(format string, args ...any) *Error {
	return NewError(KindProtocol, "the server's answer makes no sense: "+format, args...)
}
