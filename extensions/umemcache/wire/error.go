package wire

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// Kind is what went wrong.
type Kind string

// Kinds of errors. An operation that fails closes its connection, if it had one.
const (
	KindConnect    Kind = "connect"    // the server could not be reached
	KindRefused    Kind = "refused"    // it closed the connection in the handshake: no such thread, or no free slot in it
	KindConnection Kind = "connection" // the connection broke
	KindLockLost   Kind = "lock_lost"  // it broke in a fill: the lock was taken away, or the value has no room
	KindLockWait   Kind = "lock_wait"  // no answer to a GET in time: somebody else holds the key's lock
	KindTimeout    Kind = "timeout"    // no answer in time otherwise
	KindBusy       Kind = "busy"       // the server has no free slot, or no connection of the pool became free in time
	KindCancelled  Kind = "cancelled"  // the context ended the operation
	KindTooLarge   Kind = "too_large"  // the value is larger than MaxValue
	KindProtocol   Kind = "protocol"   // the peer answers as no server of this generation would
	KindCluster    Kind = "cluster"    // the cluster has no leader, no member for the key, or no peace
	KindFill       Kind = "fill"       // the function that makes the value failed; its error is wrapped
	KindUsage      Kind = "usage"      // the call itself is wrong
)

// Error is what goes wrong with an operation.
type Error struct {
	Kind    Kind
	Message string // one line
	Err     error  // the cause, or nil

	unanswered bool // not a byte of an answer had come
	full       bool // the server has no free slot for the connection
	gone       bool // the thread's connections were closed: the pool was, or the machine is no longer in the cluster
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func newError(kind Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Err: cause}
}

// broken is the error of a connection that failed with err while it did what the text says.
func broken(err error, doing string) *Error {
	if isTimeout(err) {
		return newError(KindTimeout, err, "no answer in time: %s", doing)
	}

	return newError(KindConnection, err, "the connection broke: %s: %s", doing, reason(err))
}

func isTimeout(err error) bool {
	var timeout net.Error

	return errors.As(err, &timeout) && timeout.Timeout() || errors.Is(err, os.ErrDeadlineExceeded)
}

// reason is what happened to a connection, without the addresses that net puts around it.
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

// asError is the Error that an error of this package's functions is.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}

	return newError(KindConnection, err, "the connection broke: %s", fmt.Sprint(err))
}
