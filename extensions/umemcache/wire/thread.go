package wire

import (
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// thread is one thread of a server with its connections, up to a limit that includes idle ones.
type thread struct {
	options *Options
	address string
	number  int
	// greeted is how many threads the server is known to have: its first ones.
	greeted *atomic.Int64

	mu      sync.Mutex
	idle    []*conn // last used last
	open    int     // idle, in use, or being dialled
	waiting []chan *conn
	closed  bool
}

// take returns the connection that was used last, a new one if none is idle, or at the limit the
// next one that is returned, in the order of the waiting clients.
func (t *thread) take(c *Client) (*conn, *Error) {
	t.mu.Lock()
	switch n := len(t.idle); {
	case t.closed:
		t.mu.Unlock()

		return nil, errGone()
	case n > 0:
		i := t.nearest(c)
		conn := t.idle[i]
		t.idle = slices.Delete(t.idle, i, i+1)
		t.mu.Unlock()

		return conn, nil
	case t.open < t.options.ConnectionsPerThread:
		t.open++
		t.mu.Unlock()

		return t.dial(c)
	}
	t.waiting = append(t.waiting, c.turn)
	t.mu.Unlock()

	return t.wait(c)
}

// nearest returns the index of the last used idle connection, preferably one of the client's event
// loop. The caller holds t.mu.
func (t *thread) nearest(c *Client) int {
	last := len(t.idle) - 1
	for i := last; i >= 0; i-- {
		if t.idle[i].base.Near(c.seat) {
			return i
		}
	}

	return last
}

func errGone() *Error {
	e := newError(KindUsage, nil, "the connections were closed")
	e.gone = true

	return e
}

// wait waits in the queue, and returns a connection that was returned, or a new one.
func (t *thread) wait(c *Client) (*conn, *Error) {
	var conn *conn
	var came bool
	c.seat.Away(func() { conn, came = t.await(c) })
	switch {
	case !came:
		return nil, newError(KindBusy, nil, "none of the %d connections to thread %d became free in time; see connectionsPerThread",
			t.options.ConnectionsPerThread, t.number)
	case conn != nil:
		return conn, nil
	case t.isClosed():
		return nil, errGone()
	default:
		return t.dial(c)
	}
}

// await waits in the queue; came is false at the timeout. Without a connection the client may dial
// one, unless the thread was closed.
func (t *thread) await(c *Client) (conn *conn, came bool) {
	expiry := time.NewTimer(time.Until(c.deadline))
	defer expiry.Stop()
	select {
	case conn := <-c.turn:
		return conn, true
	case <-expiry.C:
	case <-c.ctx.Done():
	}

	t.mu.Lock()
	i := slices.Index(t.waiting, c.turn)
	if i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	t.mu.Unlock()
	if i < 0 { // its place came at the last moment: pass it on
		if conn := <-c.turn; conn != nil {
			t.put(conn)
		} else {
			t.free()
		}
	}

	return nil, false
}

// dial opens a connection in a reserved place, and frees the place if that fails.
func (t *thread) dial(c *Client) (*conn, *Error) {
	var socket net.Conn
	var deadline time.Time
	var e *Error
	c.seat.Away(func() { socket, deadline, e = t.options.dial(c.ctx, t.address, c.deadline) })
	if e != nil {
		t.free()

		return nil, e
	}
	conn := newConn(socket, t.options)
	conn.base.Use(c.seat)
	c.hold(conn.socket, deadline)
	e = conn.handshake(t.number)
	c.release()
	c.count(conn)
	conn.base.Use(nil)
	if e != nil {
		t.drop(conn)

		return nil, t.refused(e)
	}
	if n := int64(t.number) + 1; t.greeted.Load() < n {
		t.greeted.Store(n)
	}

	return conn, nil
}

// addOne opens one more connection, up to the limit.
func (t *thread) addOne(c *Client) *Error {
	t.mu.Lock()
	more := t.open < t.options.ConnectionsPerThread && !t.closed
	if more {
		t.open++
	}
	t.mu.Unlock()
	if !more {
		return nil
	}

	conn, e := t.dial(c)
	if e != nil {
		return e
	}
	t.put(conn)

	return nil
}

// refused converts an error in the handshake. The server closes the connection, without an error
// message, if it has no such thread or no free slot. Every server has a first thread, and one that
// has accepted a connection to a thread also has those before it.
func (t *thread) refused(e *Error) *Error {
	if e.Kind == KindTimeout {
		return newError(KindConnect, e.Err, "cannot connect to %s: it does not answer the handshake in time", t.address)
	}
	if e.Kind != KindConnection {
		return e
	}

	if t.number == 0 || int64(t.number) < t.greeted.Load() {
		full := newError(KindBusy, e.Err,
			"%s closed the connection in the handshake (%s): its thread %d has no free slot; see connectionsPerThread",
			t.address, reason(e.Err), t.number)
		full.full = true

		return full
	}

	return newError(KindRefused, e.Err, "%s closed the connection in the handshake (%s): it has no thread %d, "+
		"or no free slot in it; see threads and connectionsPerThread", t.address, reason(e.Err), t.number)
}

func (t *thread) put(conn *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
		t.open--
		conn.close()
	case len(t.waiting) > 0:
		t.next(conn)
	default:
		t.idle = append(t.idle, conn)
	}
}

func (t *thread) drop(conn *conn) {
	conn.abandon()
	t.free()
}

// free gives the place of a closed connection to the next waiting client.
func (t *thread) free() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) > 0 {
		t.next(nil)
	} else {
		t.open--
	}
}

// next gives the connection to the first waiting client or, with nil, lets it dial one.
func (t *thread) next(conn *conn) {
	t.waiting[0] <- conn // the channel has room for one
	t.waiting = slices.Delete(t.waiting, 0, 1)
}

func (t *thread) isClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()

	return t.closed
}

// close closes the idle connections now, and the others when they are returned. Waiting clients get
// an error.
func (t *thread) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for len(t.waiting) > 0 {
		t.next(nil)
	}
	t.open -= len(t.idle)
	for _, conn := range t.idle {
		conn.close()
	}
	t.idle = nil
}
