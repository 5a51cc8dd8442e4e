package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
)

// Kinds of errors.
const (
	KindConnect    = "connect"    // the server could not be reached
	KindConnection = "connection" // the connection broke, or the server said what cannot be
	KindTimeout    = "timeout"    // no answer in time
	KindCancelled  = "cancelled"  // interrupted
	KindAuth       = "auth"       // wrong user or password, or none where the server wants one
	KindBusy       = "busy"       // the server takes no client more, or no commands now
	KindFull       = "full"       // the server has no room and may not make any
	KindServer     = "server"     // any other error of the server
	KindUsage      = "usage"      // the server is none that this client can work with
)

// Error is what goes wrong with a command.
type Error struct {
	Kind    string
	Message string

	cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the error of the network, if that is behind it.
func (e *Error) Unwrap() error { return e.cause }

func errorf(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// saidByServer tells whether the error is what the server said to a command.
func saidByServer(err error) bool {
	said, is := errors.AsType[*Error](err)

	return is && slices.Contains([]string{KindAuth, KindBusy, KindFull, KindServer, KindUsage}, said.Kind)
}

// said is the error that a server has answered. Redis's errors are told apart by their first word.
func said(text []byte) *Error {
	kind := KindServer
	switch word, _, _ := strings.Cut(string(text), " "); word {
	case "OOM":
		kind = KindFull
	case "NOAUTH", "WRONGPASS", "NOPERM":
		kind = KindAuth
	case "LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN", "CLUSTERDOWN":
		kind = KindBusy
	case "MOVED", "ASK":
		return errorf(KindUsage, "the server is a node of a Redis Cluster, which k6/x/resp cannot spread keys over (it says: %s): "+
			"give it a server that has all keys, or a proxy", short(string(text)))
	case "ERR":
		if strings.HasPrefix(string(text), "ERR max number of clients") {
			kind = KindBusy
		}
	}

	return errorf(kind, "the server says: %s", short(string(text)))
}

// broken is the error of a connection that failed with err.
func (c *Conn) broken(err error) *Error {
	e := &Error{cause: err}
	switch {
	case c.interrupted.Load():
		e.Kind, e.Message = KindCancelled, "interrupted before the answer came"
	case c.closed.Load():
		e.Kind, e.Message = KindConnection, "the connection was closed"
	case late(err):
		e.Kind, e.Message = KindTimeout, fmt.Sprintf("no answer within timeout (%s)", c.timeout)
	default:
		e.Kind, e.Message = KindConnection, "the connection broke: "+describe(err)
	}

	return e
}

// cannotConnect explains in one line why a connection could not be made.
func cannotConnect(ctx context.Context, cfg *Config, err error) *Error {
	e := &Error{Kind: KindConnect, cause: err}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		e.Kind, e.Message = KindCancelled, "interrupted before the connection was made"
	case ctx.Err() != nil, late(err):
		e.Message = fmt.Sprintf("cannot connect to %s: no answer within connectTimeout (%s)", cfg.Address, cfg.ConnectTimeout)
	default:
		e.Message = fmt.Sprintf("cannot connect to %s: %s", cfg.Address, describe(err))
	}

	return e
}

func late(err error) bool {
	var network net.Error

	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &network) && network.Timeout()
}

// describe is an error of the network without addresses, which differ from client to client.
func describe(err error) string {
	var operation *net.OpError
	if errors.As(err, &operation) {
		err = operation.Err
	}

	return short(err.Error())
}

// mostSaid is how much of what a server sent an error shows, in bytes.
const mostSaid = 200

// short is a text in one line.
func short(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > mostSaid {
		return strings.ToValidUTF8(text[:mostSaid], "") + "..."
	}

	return text
}
