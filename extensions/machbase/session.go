package machbase

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// session is a connection with deadlines, for a driver that may have none. The driver's calls run in a goroutine of
// the session's own; a call that does not come back in time is left behind with its connection, which is closed as
// soon as the call does come back.
type session struct {
	conn      Conn
	jobs      chan func(Conn) error
	done      chan error
	timer     *time.Timer
	abandoned atomic.Bool
	broken    bool

	received, sent uint64 // traffic that was already counted
}

// openSession connects.
func openSession(ctx context.Context, driver Driver, cfg *Config) (*session, error) {
	s := &session{
		jobs:  make(chan func(Conn) error),
		done:  make(chan error, 1), // so that a call which was left behind can still end
		timer: time.NewTimer(cfg.ConnectTimeout),
	}
	go s.serve(driver, cfg)

	err := s.wait(ctx)
	if err != nil && err.Kind == KindTimeout {
		err = newError(KindConnect, "cannot connect to %s: no answer within connectTimeout (%s)",
			cfg.Address(), cfg.ConnectTimeout)
	}
	if err != nil {
		return nil, err
	}

	return s, nil
}

// serve is the session's goroutine.
func (s *session) serve(driver Driver, cfg *Config) {
	err := guard(func() (err error) {
		s.conn, err = driver.Open(cfg)

		return err
	})
	s.done <- err
	if err != nil {
		return
	}
	defer guard(s.conn.Close) //nolint:errcheck // nobody is left who could be told

	for job := range s.jobs {
		s.done <- guard(func() error { return job(s.conn) })
		if s.abandoned.Load() {
			return
		}
	}
}

// guard makes an error of a driver's panic, which in a goroutine of its own would end k6.
func guard(call func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the driver failed: %v", cause)
		}
	}()

	return call()
}

// do runs a job on the connection and waits for it: until the timeout, or until the context is done.
func (s *session) do(ctx context.Context, timeout time.Duration, job func(Conn) error) *Error {
	s.timer.Reset(timeout)
	s.jobs <- job

	err := s.wait(ctx)
	switch {
	case err == nil:
		return nil
	case err.Kind == KindTimeout:
		err = newError(KindTimeout, "no answer within timeout (%s)", timeout)
	}
	s.broken = s.broken || err.breaksConnection()

	return err
}

func (s *session) wait(ctx context.Context) *Error {
	select {
	case err := <-s.done:
		s.timer.Stop()
		if err == nil {
			return nil
		}

		return asError(err)
	case <-s.timer.C:
		s.abandon()

		return newError(KindTimeout, "no answer in time")
	case <-ctx.Done():
		s.abandon()

		return newError(KindCancelled, "the test ended before the answer came")
	}
}

// abandon leaves a call behind. The session must not be used any more.
func (s *session) abandon() {
	s.broken = true
	s.abandoned.Store(true)
	s.timer.Stop()
	close(s.jobs)
}

// close logs out and waits for it, for a short while.
func (s *session) close() {
	if s.abandoned.Load() {
		return
	}
	if err := s.do(context.Background(), time.Second, Conn.Close); err == nil || !s.abandoned.Load() {
		close(s.jobs)
	}
}

// traffic is the number of bytes received and sent since it was last asked.
func (s *session) traffic() (received, sent uint64) {
	totalReceived, totalSent := s.conn.Traffic()
	received, sent = totalReceived-s.received, totalSent-s.sent
	s.received, s.sent = totalReceived, totalSent

	return received, sent
}
