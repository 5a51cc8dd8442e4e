package wire

import (
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
	greeted *atomic.Int64

	mu      sync.Mutex
	idle    []*conn // last used last
	open    int
	waiting []chan *conn
	closed  bool
}

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

// The caller holds t.mu.
func (t *thread) nearest(c *Client) int {
	last := len(t.idle) - 1
	for i := last; i >= 0; i-- {
		if t.idle[i].Near(c.seat) {
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

// Without a connection the client may dial one, unless the thread was closed.
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
	if i < 0 {
		if conn := <-c.turn; conn != nil {
			t.put(conn)
		} else {
			t.free()
		}
	}

	return nil, false
}

func (t *thread) dial(c *Client) (*conn, *Error) {
	var conn *conn
	var e *Error
	c.seat.Away(func() { conn, e = t.options.dial(c, t.address, t.handshake) })
	if e != nil {
		t.free()

		return nil, e
	}
	c.count(conn)

	return conn, nil
}

func (t *thread) handshake(conn *conn) *Error {
	if e := conn.handshake(t.number); e != nil {
		return t.refused(e)
	}
	if n := int64(t.number) + 1; t.greeted.Load() < n {
		t.greeted.Store(n)
	}

	return nil
}

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

// The server closes the connection, without an error message, if it has no such thread or no
// free slot. Every server has a first thread, and one that has accepted a connection to a
// thread also has those before it.
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
		conn.Close()
	case len(t.waiting) > 0:
		t.next(conn)
	default:
		t.idle = append(t.idle, conn)
	}
}

// drop resets the connection. A server notices only a reset of a connection that waits for another
// client's fill: after a normal close, the slot would stay in use. Nor does a reset leave a port in
// TIME_WAIT for each miss.
func (t *thread) drop(conn *conn) {
	conn.Reset()
	t.free()
}

func (t *thread) free() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) > 0 {
		t.next(nil)
	} else {
		t.open--
	}
}

func (t *thread) next(conn *conn) {
	t.waiting[0] <- conn
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
		conn.Close()
	}
	t.idle = nil
}
