package wire

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/wireconn"
)

// Kind is the kind of an error.
type Kind string

// Kinds of errors. A failed operation closes its connection.
const (
	KindConnect    Kind = "connect"    // the server could not be reached
	KindRefused    Kind = "refused"    // the server closed the connection in the handshake: no such thread, or no free slot
	KindConnection Kind = "connection" // the connection broke
	KindLockLost   Kind = "lock_lost"  // it broke in a fill: the lock was taken, or the value has no room
	KindLockWait   Kind = "lock_wait"  // no answer to a GET in time: another client holds the key's lock
	KindTimeout    Kind = "timeout"    // no answer in time in other cases
	KindBusy       Kind = "busy"       // the server has no free slot, or no connection became free in time
	KindCancelled  Kind = "cancelled"  // the context ended the operation
	KindTooLarge   Kind = "too_large"  // the value is larger than MaxValue
	KindProtocol   Kind = "protocol"   // the answer does not fit this generation
	KindCluster    Kind = "cluster"    // the cluster has no leader, no member for the key, or keeps changing
	KindFill       Kind = "fill"       // the fill function failed; its error is wrapped
	KindUsage      Kind = "usage"      // the call itself is wrong
)

// Error is the error of an operation.
type Error struct {
	Kind    Kind
	Message string // one line
	Err     error  // the cause; may be nil

	unanswered bool
	full       bool
	gone       bool
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func newError(kind Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Err: cause}
}

func broken(err error, doing string) *Error {
	if wireconn.IsTimeout(err) {
		return newError(KindTimeout, err, "no answer in time: %s", doing)
	}

	return newError(KindConnection, err, "the connection broke: %s: %s", doing, reason(err))
}

func reason(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number.Error()
	}
	var operation *net.OpError
	if errors.As(err, &operation) {
		return operation.Err.Error()
	}

	return err.Error()
}

func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}

	return newError(KindConnection, err, "the connection broke: %s", fmt.Sprint(err))
}
