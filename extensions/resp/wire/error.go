package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/wireconn"
)

// Kinds of errors.
const (
	KindConnect    = wireconn.KindConnect
	KindConnection = wireconn.KindConnection // also for an answer that violates the protocol
	KindTimeout    = wireconn.KindTimeout
	KindCancelled  = wireconn.KindCancelled
	KindAuth       = "auth"   // wrong or missing user or password
	KindBusy       = "busy"   // the server accepts no more clients, or no commands now
	KindFull       = "full"   // the server is out of memory and may not evict
	KindServer     = "server" // any other error answer
	KindUsage      = "usage"  // this client cannot work with the server
)

// Error is the error of a command.
type Error struct {
	Kind    string
	Message string
	// Code is the first word of an error answer, such as MOVED; "" for other errors.
	Code string
	// Slot and Address are from MOVED and ASK; Address is "" if they could not be parsed. A missing
	// host is the connection's.
	Slot    int
	Address string

	cause error
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the network error that caused it, if any.
func (e *Error) Unwrap() error { return e.cause }

func errorf(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

func saidByServer(err error) bool {
	said, is := errors.AsType[*Error](err)

	return is && slices.Contains([]string{KindAuth, KindBusy, KindFull, KindServer, KindUsage}, said.Kind)
}

// parseError parses an error answer. Its first word is Redis's error code.
func parseError(text []byte) *Error {
	code, rest, _ := strings.Cut(string(text), " ")
	e := errorf(KindServer, "the server says: %s", short(string(text)))
	e.Code = code
	switch code {
	case "OOM":
		e.Kind = KindFull
	case "NOAUTH", "WRONGPASS", "NOPERM":
		e.Kind = KindAuth
	case Loading, "BUSY", TryAgain, "MASTERDOWN", ClusterDown:
		e.Kind = KindBusy
	case Moved, Ask, CrossSlot:
		e.Kind = KindUsage
		e.Message = fmt.Sprintf("the server is a node of a Redis Cluster (it says: %s): give new Client the option cluster: true",
			short(string(text)))
		e.redirect(rest)
	case "ERR":
		if strings.HasPrefix(rest, "max number of clients") {
			e.Kind = KindBusy
		}
	}

	return e
}

func (c *Conn) broken(err error) *Error {
	kind, message := c.Broke(err)

	return &Error{Kind: kind, Message: message, cause: err}
}

func cannotConnect(ctx context.Context, cfg *Config, err error) error {
	if saidByServer(err) {
		return err
	}
	kind, message := wireconn.CannotConnect(ctx, err, "a Redis server", cfg.Address, cfg.ConnectTimeout)

	return &Error{Kind: kind, Message: message, cause: err}
}

const maxShown = 200

func short(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > maxShown {
		return strings.ToValidUTF8(text[:maxShown], "") + "..."
	}

	return text
}
