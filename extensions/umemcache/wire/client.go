package wire

import (
	"context"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

// Client is a user of a Target that runs one operation at a time. Its methods are for one
// goroutine. The function passed to GetOrSet must not use the same client.
//
// An operation's timeout includes the wait for a connection. The end of its context interrupts it.
// With a Pool, a hit allocates nothing if the value fits in into and the context is the same as
// before.
type Client struct {
	target  Target
	timeout time.Duration
	seat    *eventloop.Seat

	turn     chan *conn
	deadline time.Time
	scratch  []byte
	operation

	received, sent uint64
	retries        uint64
	lostFills      uint64

	ctx     context.Context //nolint:containedctx // watched across operations, as each watch costs time
	unwatch func() bool

	mu   sync.Mutex
	held *conn
}

type operation struct {
	do      func(*Client, *conn) *Error
	repeats bool   // after a lost lock
	key     []byte // encoded key
	into    []byte
	fill    func() ([]byte, error)
	made    []byte
	filled  bool // fill was called

	value []byte // result of the operation
	found bool
	locks bool // a get that missed owns the lock
}

// NewClient returns a user of the target, whose operations have this timeout.
func NewClient(target Target, timeout time.Duration) *Client {
	return &Client{target: target, timeout: timeout, turn: make(chan *conn, 1)}
}

// Use makes operations wait at the seat while it runs a job; nil: in the caller's goroutine.
// Operations on a Cluster must not have a seat, because they wait for more than sockets.
func (c *Client) Use(seat *eventloop.Seat) { c.seat = seat }

// Connect opens one more connection to each thread, up to the limit, so that each client finds a
// free one. Its errors are of kind connect or refused.
func (c *Client) Connect(ctx context.Context) error {
	e := c.begin(ctx)
	if e == nil {
		e = c.target.connect(c)
	}

	return c.end(e)
}

// Get appends the value of the key to into. found reports whether the key exists.
//
// The protocol has no such command: this is a GET_OR_SET that closes its connection on a miss, the
// only way to decline the fill lock. So a miss costs a later operation a new connection. If another
// client holds the lock, Get waits for that client's value.
func (c *Client) Get(ctx context.Context, key, into []byte) (value []byte, found bool, err error) {
	c.operation = operation{do: (*Client).get, key: c.key, into: into}
	err = c.run(ctx, key)

	return c.value, c.found, err
}

// GetOrSet appends the value of the key to into. If the key does not exist, it calls fill, sends
// the result to the server and returns it, with found false. Meanwhile it holds the key's fill
// lock: other clients wait for the value, and after twice the server's TCP_TIMEOUT one of them gets
// the lock.
//
// If fill fails, the error has kind fill, and nothing is stored. If the server closes the
// connection before it has the value, the error has kind lock_lost. G2 and G3 do not acknowledge
// values, so that may be noticed only later: see Retries.
func (c *Client) GetOrSet(ctx context.Context, key, into []byte, fill func() ([]byte, error)) (value []byte, found bool, err error) {
	c.operation = operation{do: (*Client).getOrSet, key: c.key, into: into, fill: fill}
	err = c.run(ctx, key)

	return c.value, c.found, err
}

// Set stores the value. The protocol has no such command: this is a DEL and a GET_OR_SET that fills
// in the value. They are repeated if another client fills in a value in between, or takes the lock,
// which only G1 reports. After ten lost locks the error has kind lock_lost.
func (c *Client) Set(ctx context.Context, key, value []byte) error {
	if e := c.checkValue(value); e != nil {
		return e
	}
	c.operation = operation{do: (*Client).set, repeats: true, key: c.key, made: value, filled: true}

	return c.run(ctx, key)
}

// Del deletes the key, whether it exists or not. It takes the fill lock from its holder, whose fill
// fails with kind lock_lost.
func (c *Client) Del(ctx context.Context, key []byte) error {
	c.operation = operation{do: (*Client).del, key: c.key}

	return c.run(ctx, key)
}

// Traffic returns the bytes received and sent since its last call.
func (c *Client) Traffic() (received, sent uint64) {
	received, sent = c.received, c.sent
	c.received, c.sent = 0, 0

	return received, sent
}

// Retries returns how many operations since its last call needed a second connection, and for how
// many of them the reason was that the server had discarded the previous fill, which may be that of
// another client. That only happens in G2 and G3, which do not acknowledge a fill, but close the
// connection of an owner who has lost the lock.
func (c *Client) Retries() (all, lostFills uint64) {
	all, lostFills = c.retries, c.lostFills
	c.retries, c.lostFills = 0, 0

	return all, lostFills
}

// Close releases the client's context. The target keeps the connections.
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
		e = newError(KindUsage, nil, "a key of %d bytes is too long: at most %d are allowed", len(key), limit)
	}
	for tries := setTries; e == nil; {
		e = c.target.do(c, key)
		if tries--; e == nil || tries == 0 || !c.repeats || e.Kind != KindLockLost || c.cancelled() != nil {
			break
		}
		e = nil
		c.retries++
	}

	return c.end(e)
}

// Clients that set the same key take the lock from each other.
const setTries = 10

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

func (c *Client) watch(ctx context.Context) {
	if c.unwatch != nil {
		c.unwatch()
	}
	c.mu.Lock()
	c.ctx = ctx
	c.mu.Unlock()
	c.unwatch = context.AfterFunc(ctx, func() { c.interrupt(ctx) })
}

func (c *Client) interrupt(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held != nil && c.ctx == ctx {
		c.held.Interrupt()
	}
}

// hold makes the end of the context, which may have come before, interrupt the connection.
func (c *Client) hold(conn *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = conn
	if c.ctx.Err() != nil {
		conn.Interrupt()
	}
}

func (c *Client) release() {
	c.mu.Lock()
	c.held = nil
	c.mu.Unlock()
}

func (c *Client) count(conn *conn) {
	received, sent := conn.Traffic()
	c.received += received - conn.received
	c.sent += sent - conn.sent
	conn.received, conn.sent = received, sent
}

// If the server closes the connection without any answer to a command other than a fill, it
// tries once more on a new connection, like the official client. The reason is older than the
// command: the previous fill was discarded (see Retries), or the server was restarted. The
// first attempt has done at most the DEL of a Set, which may be repeated.
func (c *Client) on(t *thread) *Error {
	conn, e := t.take(c)
	if e != nil {
		return e
	}
	inStep := false
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
		conn.Reset()
		var refused *Error
		if conn, refused = t.dial(c); refused != nil {
			return refused
		}
		e = c.use(conn)
	}
	inStep = e == nil && !conn.Broken() && !c.locks

	return e
}

func (c *Client) use(conn *conn) *Error {
	conn.Use(c.seat)
	defer func() {
		c.release()
		c.count(conn)
		conn.Use(nil)
	}()
	c.hold(conn)
	if err := conn.Begin(time.Until(c.deadline)); err != nil {
		return broken(err, "sending a command")
	}

	return c.do(c, conn)
}
