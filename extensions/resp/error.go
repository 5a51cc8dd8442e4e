package resp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Kinds of errors.
const (
	kindConnect     = "connect"       // the server could not be reached
	kindConnection  = "connection"    // the connection broke
	kindTimeout     = "timeout"       // no answer in time
	kindCancelled   = "cancelled"     // the test ended
	kindAuth        = "auth"          // wrong user or password, or none where the server wants one
	kindOutOfMemory = "out_of_memory" // the server has no room and may not make any
	kindServer      = "server"        // any other error of the server
	kindUsage       = "usage"         // the call itself is wrong; nothing was sent
)

// Error is what goes wrong with an operation.
type Error struct {
	Kind    string
	Message string

	cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the error behind it, if there is one.
func (e *Error) Unwrap() error { return e.cause }

func errorf(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// maxSaid is how much of what a server sent an error shows, in bytes.
const maxSaid = 200

// asError makes an Error of any error of go-redis or the network.
func asError(err error) *Error {
	var known *Error
	var said redis.Error
	var network net.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &said):
		return &Error{Kind: kindOf(said.Error()), Message: "the server says: " + short(said.Error()), cause: err}
	case errors.Is(err, context.Canceled):
		return &Error{Kind: kindCancelled, Message: "the test ended before the answer came", cause: err}
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return &Error{Kind: kindTimeout, Message: "no answer within timeout", cause: err}
	default:
		return &Error{Kind: kindConnection, Message: "the connection broke: " + describe(err), cause: err}
	}
}

// kindOf tells errors of servers apart by their first word, as Redis means it.
func kindOf(said string) string {
	switch word, _, _ := strings.Cut(said, " "); word {
	case "OOM":
		return kindOutOfMemory
	case "NOAUTH", "WRONGPASS", "NOPERM":
		return kindAuth
	default:
		return kindServer
	}
}

// describe is an error of the network without addresses, which differ from client to client.
func describe(err error) string {
	var operation *net.OpError
	if errors.As(err, &operation) {
		err = operation.Err
	}

	return short(err.Error())
}

func short(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > maxSaid {
		return strings.ToValidUTF8(text[:maxSaid], "") + "..."
	}

	return text
}
