package machbase

import (
	"context"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// connection adds timeouts to a driver's Conn. A call that takes too long breaks the Conn.
type connection struct {
	conn    Conn
	calls   clock.Contexts
	timeout time.Duration
	broken  bool

	received, sent uint64
}

// A driver that does not return in time is abandoned; its connection is closed when it opens.
func connect(ctx context.Context, driver Driver, cfg *Config, dial DialFunc) (*connection, error) {
	if ctx.Err() != nil {
		return nil, k6x.TestEnded()
	}
	type result struct {
		conn Conn
		err  error
	}
	opening, stop := context.WithTimeout(ctx, cfg.ConnectTimeout)
	defer stop()
	opened := make(chan result)
	late := make(chan struct{})
	go func() {
		var r result
		r.err = crash.Guard(func() (err error) {
			r.conn, err = driver.Open(opening, cfg, dial)

			return err
		})
		select {
		case opened <- r:
		case <-late:
			if r.err == nil {
				newConnection(r.conn).close()
			}
		}
	}()

	select {
	case r := <-opened:
		switch {
		case r.err == nil:
			return newConnection(r.conn), nil
		case opening.Err() == nil:
			return nil, r.err
		}
	case <-opening.Done():
		close(late)
	}
	if ctx.Err() != nil {
		return nil, k6x.TestEnded()
	}

	return nil, k6x.Errorf(k6x.KindConnect, "cannot connect to %s: no answer within connectTimeout (%s)",
		strings.Join(cfg.Addresses(), ", "), cfg.ConnectTimeout)
}

func newConnection(conn Conn) *connection { return &connection{conn: conn} }

func (c *connection) use(seat *eventloop.Seat) {
	if c == nil {
		return
	}
	if conn, can := c.conn.(interface{ Use(seat *eventloop.Seat) }); can {
		conn.Use(seat)
	}
}

type job = func(ctx context.Context, conn Conn) error

func (c *connection) do(ctx context.Context, timeout time.Duration, do job) error {
	if ctx.Err() != nil {
		return k6x.TestEnded()
	}
	c.timeout = timeout
	err := c.guard(c.calls.Begin(ctx, time.Now(), timeout), do)
	outcome := c.calls.End()
	c.broken = c.broken || outcome != clock.Undisturbed || c.conn.Broken()

	switch {
	case err == nil:
		return nil
	case outcome == clock.Late:
		return k6x.Errorf(k6x.KindTimeout, "no answer within timeout (%s)", timeout)
	case outcome == clock.Ended:
		return k6x.TestEnded()
	default:
		return err
	}
}

func (c *connection) guard(ctx context.Context, do job) (err error) {
	defer crash.Catch(&err)

	return do(ctx, c.conn)
}

// Only the job itself may call restart.
func (c *connection) restart() { c.calls.Extend(c.timeout) }

const closeTimeout = time.Second

func (c *connection) close() {
	_ = c.do(context.Background(), closeTimeout, func(ctx context.Context, conn Conn) error { return conn.Close(ctx) })
	c.calls.Stop()
}

func (c *connection) traffic() (received, sent uint64) {
	totalReceived, totalSent := c.conn.Traffic()
	received, sent = totalReceived-c.received, totalSent-c.sent
	c.received, c.sent = totalReceived, totalSent

	return received, sent
}
