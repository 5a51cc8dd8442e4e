package cmi

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/deadline"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

// Conn is a connection to a server. One goroutine uses it at a time; a call that finds it in use
// fails. Interrupt, Close, Broken and Traffic may be called by any goroutine at any time.
type Conn struct {
	config  *Config
	address string
	// socket is the connection of the network, and stream what is read and written of it: itself at a
	// seat of an event loop, and else what is within it.
	socket *eventloop.Conn
	stream net.Conn
	// protocol is the server's; 0 where it has not said.
	protocol protocol

	received, sent atomic.Uint64
	busy           atomic.Bool // a call is under way, or an answer open
	closed         atomic.Bool

	in     reader
	out    request
	params []byte // of the call at hand

	ids   ids
	frees []uint32 // statements that the server is to free
	cache cache

	acknowledge func() // what has come, at once; nil where that cannot be done
	selections  map[string]selection

	// exchange sends a request and reads of its answer; atSeat and onGoroutine are its ways.
	exchange, atSeat, onGoroutine func(request, answer []byte) (sent, received int, err error)
	sending                       []byte // a request, until its answer is read

	// calls closes the connection when within, the context of the call at hand, ends.
	calls  *deadline.Watch[*Conn]
	within context.Context //nolint:containedctx // calls begin and end in functions of their own

	appenders map[uint32]*Appender
	closing   struct {
		sync.Mutex

		statements []*Stmt // closed by their users since the last call
	}

	rows       Rows
	bigEndian  bool
	connection error // why there is none any more
}

// Broken tells whether the connection is of no use any more: it was closed, or gave up a call.
func (c *Conn) Broken() bool { return c.closed.Load() }

// Traffic is the number of bytes received from and sent to the server so far.
func (c *Conn) Traffic() (received, sent uint64) { return c.received.Load(), c.sent.Load() }

// Use says at which seat of an event loop the connection is used from now on; nil: by a goroutine.
func (c *Conn) Use(seat *eventloop.Seat) {
	c.socket.Use(seat)
	c.stream, c.exchange = c.socket.NetConn(), c.onGoroutine
	if seat.Inside() {
		c.stream, c.exchange = c.socket, c.atSeat
	}
}

// Interrupt closes the connection without waiting for anything. The call that is under way returns
// with an error of kind connection.
func (c *Conn) Interrupt() {
	c.closed.Store(true)
	_ = c.socket.Close()
}

// Close closes the connection as Interrupt does. It returns nil.
func (c *Conn) Close() error {
	c.Interrupt()
	c.calls.Stop()

	return nil
}

// enter begins a call. What it returns is an error, or the call must end with leave.
func (c *Conn) enter(ctx context.Context) error {
	if !c.busy.CompareAndSwap(false, true) {
		return usage("the connection is in use: another call is under way, or the rows of a query are not closed yet")
	}
	if err := c.usable(ctx); err != nil {
		c.busy.Store(false)

		return err
	}
	c.freeClosed()
	c.within = ctx
	c.calls.Begin(ctx, c, time.Time{}, 0)
	if err := c.sendFrees(ctx); err != nil {
		c.leave()

		return err
	}

	return nil
}

func (c *Conn) usable(ctx context.Context) error {
	switch {
	case c.connection != nil:
		return NewError(KindConnection, "the connection to %s is closed since: %s", c.address, c.connection)
	case c.closed.Load():
		return NewError(KindConnection, "the connection to %s is closed", c.address)
	}
	if err := contextError(ctx, " before it began"); err != nil {
		return err
	}

	return nil
}

// leave ends a call. A context that ended before closes the connection now, and not in the middle
// of the next call.
func (c *Conn) leave() {
	if c.calls.End() == deadline.Undisturbed && c.within.Err() != nil {
		c.Interrupt()
	}
	c.busy.Store(false)
}

// failure is what went wrong with a call. An error that is not the server's closes the connection:
// what comes after it could be an answer to something else.
func (c *Conn) failure(ctx context.Context, err error) error {
	var known *Error
	if errors.As(err, &known) && known.Code != 0 {
		return known
	}

	closed := c.closed.Load()
	c.Interrupt()
	switch ended := contextError(ctx, ": the connection to "+c.address+" is closed"); {
	case ended != nil:
		known = ended
	case known != nil:
		known = c.namingProtocols(known)
	case closed:
		known = NewError(KindConnection, "the connection to %s was closed during the call", c.address)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		known = NewError(KindConnection, "the server at %s closed the connection", c.address)
	default:
		known = NewError(KindConnection, "the connection to %s broke: %s", c.address, cause(err))
		known.reset = errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
	}
	if c.connection == nil {
		c.connection = known
	}

	return known
}

// namingProtocols adds, to an error of the protocol, whose versions these are when they are two.
func (c *Conn) namingProtocols(err *Error) *Error {
	if err.Kind != KindProtocol || c.protocol == 0 || c.protocol == protocolVersion {
		return err
	}

	return NewError(err.Kind, "%s (the server speaks version %s of Machbase's native protocol, and this client %s)",
		err.Message, c.protocol, protocolVersion)
}

// contextError is the error of a call whose context has ended, or nil.
func contextError(ctx context.Context, suffix string) *Error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return NewError(KindTimeout, "no answer in time%s", suffix)
	default:
		return NewError(KindCancelled, "the call was cancelled%s", suffix)
	}
}

// cause is the text of a network error without the addresses, which the reader knows already.
func cause(err error) string {
	var operation *net.OpError
	if errors.As(err, &operation) {
		return operation.Err.Error()
	}

	return err.Error()
}

// sendFrees has the server free statements, one after the other: it sends its answers apart, and a
// second one waits for up to 40 ms until the first one is acknowledged (Nagle's algorithm and
// delayed acknowledgements).
func (c *Conn) sendFrees(ctx context.Context) error {
	for len(c.frees) > 0 {
		id := c.frees[len(c.frees)-1]
		c.frees = c.frees[:len(c.frees)-1]
		c.out.reset()
		c.out.free(id)
		if _, err := c.ask(ctx, msgFree, id); err != nil {
			return err
		}
		c.ids.give(id)
	}

	return nil
}
