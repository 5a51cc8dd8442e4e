package wire

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

// Client is one user of a Target. It does one operation at a time: its methods are for one
// goroutine, and so is the function that GetOrSet calls, which must not use the same client.
//
// Every operation has the client's timeout, from waiting for a connection to the last byte. When
// its context is done, it returns at once, whatever it waits for. With a Pool it allocates nothing
// for a hit whose value has room in into, as long as the context is the same as that of the
// operation before.
type Client struct {
	target  Target
	timeout time.Duration
	// seat is where operations take turns with those of other clients; nil: on the caller's goroutine.
	seat *eventloop.Seat

	turn     chan *conn // where a connection comes for which the client waits
	deadline time.Time
	scratch  []byte // for values that nobody wants
	operation

	received, sent uint64
	retries        uint64
	lostFills      uint64

	ctx     context.Context //nolint:containedctx // of the operation, and of those before it: watching one has its price
	unwatch func() bool

	mu   sync.Mutex // guards socket, which another goroutine may interrupt
	held net.Conn
}

// operation is what the client is doing.
type operation struct {
	command command
	key     []byte // as it goes over the wire
	into    []byte
	fill    func() ([]byte, error)
	made    []byte // what fill returned
	filled  bool   // fill was called

	value []byte // the result
	found bool
}

type command int

const (
	doGet command = iota
	doGetOrSet
	doSet
	doDel
)

// NewClient returns a user of the target, whose operations take no longer than the timeout.
func NewClient(target Target, timeout time.Duration) *Client {
	return &Client{target: target, timeout: timeout, turn: make(chan *conn, 1)}
}

// Use says at which seat of an event loop operations take turns while a job of the seat is under
// way; nil: at none. Operations on a Cluster wait for more than sockets, and must have none.
func (c *Client) Use(seat *eventloop.Seat) { c.seat = seat }

// Connect opens one more connection to each thread of the server, as far as there may be more: as
// many clients as there may be connections find one of their own then. It fails with kind connect
// or refused.
func (c *Client) Connect(ctx context.Context) error {
	e := c.begin(ctx)
	if e == nil {
		e = c.target.connect(c)
	}

	return c.end(e)
}

// Get appends the value of the key to into; without one, found is false.
//
// The protocol has no such command: this is a GET_OR_SET that, on a miss, closes its connection,
// the only way to decline the fill lock. A miss costs the next operation a new connection
// therefore. Where another client holds the lock, it waits for that client's value.
func (c *Client) Get(ctx context.Context, key, into []byte) (value []byte, found bool, err error) {
	c.operation = operation{command: doGet, key: c.key, into: into}
	err = c.run(ctx, key)

	return c.value, c.found, err
}

// GetOrSet appends the value of the key to into. Without one, it calls fill, once at most, sends
// what that returns to the server and returns it; found is false then. It holds the key's fill lock
// meanwhile: whoever else asks for the key waits, and after twice the server's TCP_TIMEOUT the
// server gives the lock to the next of them.
//
// When fill fails, it fails with kind fill, and nothing is stored. It fails with kind lock_lost
// when the server closes the connection before it has the value. In G2 and G3, which do not
// acknowledge it, that may show only later: see Retries.
func (c *Client) GetOrSet(ctx context.Context, key, into []byte, fill func() ([]byte, error)) (value []byte, found bool, err error) {
	c.operation = operation{command: doGetOrSet, key: c.key, into: into, fill: fill}
	err = c.run(ctx, key)

	return c.value, c.found, err
}

// Set stores the value. The protocol has no such command: this is a DEL and a GET_OR_SET with the
// value as its fill, again from the start when somebody else was quicker with a fill in between, or
// has taken the lock from it, which only G1 says. It fails with kind lock_lost when it has lost the
// lock ten times.
func (c *Client) Set(ctx context.Context, key, value []byte) error {
	if e := c.checkValue(value); e != nil {
		return e
	}
	c.operation = operation{command: doSet, key: c.key, made: value, filled: true}

	return c.run(ctx, key)
}

// Del deletes the key, whether it is there or not. It takes the fill lock from a client that holds
// it: that one's fill fails with kind lock_lost.
func (c *Client) Del(ctx context.Context, key []byte) error {
	c.operation = operation{command: doDel, key: c.key}

	return c.run(ctx, key)
}

// Traffic returns the bytes received and sent since it was last asked.
func (c *Client) Traffic() (received, sent uint64) {
	received, sent = c.received, c.sent
	c.received, c.sent = 0, 0

	return received, sent
}

// Retries returns how many operations were done on a second connection, because the server had
// ended the first one without an answer, since it was last asked; and to how many of these the
// server said so that it had thrown away the fill before them, of whatever client of the target.
// Only G2 and G3 have such fills: they acknowledge none, but end the connection of an owner who has
// lost the lock, which the next operation on it finds out.
func (c *Client) Retries() (all, lostFills uint64) {
	all, lostFills = c.retries, c.lostFills
	c.retries, c.lostFills = 0, 0

	return all, lostFills
}

// Close ends the client's use of its context. The connections are the target's.
func (c *Client) Close() {
	if c.unwatch != nil {
		c.unwatch()
	}
	c.mu.Lock()
	c.ctx, c.unwatch = nil, nil
	c.mu.Unlock()
}

func (c *Client) run(ctx context.Context, key []byte) error {
	e := c.begin(ctx)
	if limit := c.target.maxKey(); e == nil && len(key) > limit {
		e = newError(KindUsage, nil, "a key of %d bytes is too long: %d are the most", len(key), limit)
	}
	for tries := setTries; e == nil; {
		e = c.target.do(c, key)
		if tries--; e == nil || tries == 0 || c.command != doSet || e.Kind != KindLockLost || c.cancelled() != nil {
			break
		}
		e = nil
		c.retries++
	}

	return c.end(e)
}

// setTries is how often a Set tries to get a value in at most: clients that set the same key take
// the lock from each other, and a value without room is refused in the same way.
const setTries = 10

// begin starts an operation: its time runs.
func (c *Client) begin(ctx context.Context) *Error {
	if ctx != c.ctx {
		c.watch(ctx)
	}
	c.deadline = time.Now().Add(c.timeout)

	return c.cancelled()
}

func (c *Client) end(e *Error) error {
	if e == nil {
		return nil
	}
	if cancelled := c.cancelled(); cancelled != nil {
		e = cancelled
	}

	return e
}

func (c *Client) cancelled() *Error {
	if c.ctx.Err() == nil {
		return nil
	}

	return newError(KindCancelled, context.Cause(c.ctx), "the operation was cancelled")
}

// watch makes the end of a context interrupt what the client is doing then.
func (c *Client) watch(ctx context.Context) {
	if c.unwatch != nil {
		c.unwatch()
	}
	c.mu.Lock()
	c.ctx = ctx
	c.mu.Unlock()
	c.unwatch = context.AfterFunc(ctx, func() {
		defer crash.Contain("what interrupts a call")
		c.interrupt(ctx)
	})
}

// interrupt makes the call on the connection that is under way return, if it is one of this
// context.
func (c *Client) interrupt(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held != nil && c.ctx == ctx {
		_ = c.held.SetDeadline(past())
	}
}

// hold gives a socket its deadline, and to interrupt. The context may have been done before: see
// cancelled.
func (c *Client) hold(socket net.Conn, deadline time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = socket
	if c.ctx.Err() != nil {
		deadline = past()
	}
	_ = socket.SetDeadline(deadline)
}

func (c *Client) release() {
	c.mu.Lock()
	c.held = nil
	c.mu.Unlock()
}

func (c *Client) count(conn *conn) {
	received, sent := conn.traffic()
	c.received += received
	c.sent += sent
}

// on does the operation on a connection to the thread.
//
// When the server ends the connection without a byte of an answer to a command other than a fill,
// there is one more try on a new connection, as the official client has it: the reason is an
// earlier one. The fill before it was thrown away (see Retries), or the server was started anew.
// What the operation has done by then is at most the DEL of a Set, which may be done twice.
func (c *Client) on(t *thread) *Error {
	conn, e := t.take(c)
	if e != nil {
		return e
	}
	inStep := false // nor is it when fill panics
	defer func() {
		switch {
		case conn == nil:
		case inStep:
			t.put(conn)
		default:
			t.drop(conn)
		}
	}()

	e = c.use(conn)
	if e != nil && e.unanswered && c.cancelled() == nil {
		c.retries++
		if conn.unconfirmed {
			c.lostFills++
		}
		conn.abandon()
		var refused *Error
		if conn, refused = t.dial(c); refused != nil {
			return refused
		}
		e = c.use(conn)
	}
	inStep = e == nil && (c.command != doGet || c.found) // else it still owns the lock

	return e
}

// use does the operation on the connection.
func (c *Client) use(conn *conn) *Error {
	conn.base.Use(c.seat)
	defer func() {
		c.release()
		c.count(conn)
		conn.base.Use(nil)
	}()
	c.hold(conn.socket, c.deadline)

	return c.perform(conn)
}
