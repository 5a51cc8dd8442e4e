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

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

// Conn is a connection to a server. Only one goroutine may use it at a time; a call on a connection
// in use fails. Interrupt, Close, Broken and Traffic are safe for concurrent use.
type Conn struct {
	config  *Config
	address string
	// stream is socket itself at a seat of an event loop, else the connection within it.
	socket   *eventloop.Conn
	stream   net.Conn
	protocol protocol

	received, sent atomic.Uint64
	busy           atomic.Bool
	closed         atomic.Bool

	in     reader
	out    request
	params []byte

	ids   ids
	frees []uint32
	cache cache

	acknowledge func() // may be nil
	selections  map[string]selection

	exchange, atSeat, onGoroutine func(request, answer []byte) (sent, received int, err error)
	sending                       []byte

	calls  *clock.Watch[*Conn]
	within context.Context //nolint:containedctx // set by enter, used until leave

	appenders map[uint32]*Appender
	closing   struct {
		sync.Mutex

		statements []*Stmt
	}

	rows       Rows
	bigEndian  bool
	connection error
}

// Broken reports whether the connection is unusable: it was closed, or a call was abandoned.
func (c *Conn) Broken() bool { return c.closed.Load() }

// Traffic returns the bytes received and sent so far.
func (c *Conn) Traffic() (received, sent uint64) { return c.received.Load(), c.sent.Load() }

// Use makes the connection wait for answers at the seat; nil: in its goroutine.
func (c *Conn) Use(seat *eventloop.Seat) {
	c.socket.Use(seat)
	c.stream, c.exchange = c.socket.NetConn(), c.onGoroutine
	if seat.Inside() {
		c.stream, c.exchange = c.socket, c.atSeat
	}
}

// Interrupt closes the connection immediately. A call in progress returns an error of kind
// connection.
func (c *Conn) Interrupt() {
	c.closed.Store(true)
	_ = c.socket.Close()
}

// Close closes the connection like Interrupt. It returns nil.
func (c *Conn) Close() error {
	c.Interrupt()
	c.calls.Stop()

	return nil
}

// A call whose enter returns no error must end with leave.
func (c *Conn) enter(ctx context.Context) error {
	if !c.busy.CompareAndSwap(false, true) {
		return usage("the connection is in use: another call is in progress, or the rows of a query are not closed yet")
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
		return NewError(KindConnection, "the connection to %s is closed: %s", c.address, c.connection)
	case c.closed.Load():
		return NewError(KindConnection, "the connection to %s is closed", c.address)
	}
	if err := contextError(ctx, " before it began"); err != nil {
		return err
	}

	return nil
}

// leave closes the connection now if the context has ended, not during the next call.
func (c *Conn) leave() {
	if c.calls.End() == clock.Undisturbed && c.within.Err() != nil {
		c.Interrupt()
	}
	c.busy.Store(false)
}

// Any error that is not the server's closes the connection, because the next bytes might
// belong to another answer.
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

func (c *Conn) namingProtocols(err *Error) *Error {
	if err.Kind != KindProtocol || c.protocol == 0 || c.protocol == protocolVersion {
		return err
	}

	return NewError(err.Kind, "%s (the server speaks version %s of Machbase's native protocol, and this client %s)",
		err.Message, c.protocol, protocolVersion)
}

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

func cause(err error) string {
	var operation *net.OpError
	if errors.As(err, &operation) {
		return operation.Err.Error()
	}

	return err.Error()
}

// The server sends each answer separately, and the second one would wait up to 40 ms for an
// acknowledgement (Nagle's algorithm and delayed acknowledgements).
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
