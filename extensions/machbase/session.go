package machbase

import (
	"context"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/deadline"
)

// session is a connection with deadlines: a call that takes too long is interrupted, and its connection with it.
type session struct {
	conn    Conn
	watch   *deadline.Watch[Conn]
	timeout time.Duration
	broken  bool

	received, sent uint64 // traffic that was already counted
}

// openSession connects. A driver that does not come back in time is left behind; what it opens then is closed.
func openSession(ctx context.Context, driver Driver, cfg *Config, dial DialFunc) (*session, error) {
	if ctx.Err() != nil {
		return nil, errTestEnded()
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
		defer crash.Contain("what connects")
		var r result
		r.err = guard(nil, func(Conn) (err error) {
			r.conn, err = driver.Open(opening, cfg, dial)

			return err
		})
		select {
		case opened <- r:
		case <-late:
			if r.err == nil {
				newSession(r.conn).close()
			}
		}
	}()

	select {
	case r := <-opened:
		switch {
		case r.err == nil:
			return newSession(r.conn), nil
		case opening.Err() == nil:
			return nil, asError(r.err)
		}
	case <-opening.Done():
		close(late)
	}
	if ctx.Err() != nil {
		return nil, errTestEnded()
	}

	return nil, newError(KindConnect, "cannot connect to %s: no answer within connectTimeout (%s)",
		strings.Join(append([]string{cfg.Address()}, cfg.Alternatives...), ", "), cfg.ConnectTimeout)
}

func newSession(conn Conn) *session {
	return &session{conn: conn, watch: deadline.New(func(c Conn, _ deadline.Outcome) { c.Interrupt() })}
}

// do runs a job on the connection. It interrupts it at the timeout, and when the context is done.
func (s *session) do(ctx context.Context, timeout time.Duration, job func(Conn) error) *Error {
	if ctx.Err() != nil {
		return errTestEnded()
	}
	s.timeout = timeout
	s.watch.Begin(ctx, s.conn, time.Now(), timeout)
	err := guard(s.conn, job)
	outcome := s.watch.End()
	s.broken = s.broken || outcome != deadline.Undisturbed

	switch {
	case err == nil:
		return nil
	case outcome == deadline.Late:
		return newError(KindTimeout, "no answer within timeout (%s)", timeout)
	case outcome == deadline.Ended:
		return errTestEnded()
	}
	e := asError(err)
	s.broken = s.broken || e.breaksConnection()

	return e
}

// restart gives the job that is under way its whole timeout again. It is for the job itself, and does nothing when its time is over.
func (s *session) restart() { s.watch.Extend(s.timeout) }

func errTestEnded() *Error { return newError(KindCancelled, "the test ended before the answer came") }

// guard makes an error of a driver's panic.
func guard(conn Conn, call func(Conn) error) (err error) {
	defer crash.Catch(&err)

	return call(conn)
}

// closeTimeout is how long logging out may take.
const closeTimeout = time.Second

// close logs out, as far as the server still answers.
func (s *session) close() {
	_ = s.do(context.Background(), closeTimeout, Conn.Close)
	s.watch.Stop()
}

// traffic is the number of bytes received and sent since it was last asked.
func (s *session) traffic() (received, sent uint64) {
	totalReceived, totalSent := s.conn.Traffic()
	received, sent = totalReceived-s.received, totalSent-s.sent
	s.received, s.sent = totalReceived, totalSent

	return received, sent
}
