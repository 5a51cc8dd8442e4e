package cmi

import (
	"context"
	"sync/atomic"
)

// Stmt is a prepared statement of one connection.
type Stmt struct {
	conn *Conn
	text string

	id       uint32
	prepared bool
	keep     bool
	closed   atomic.Bool

	description []byte

	kind       int
	layout     *layout
	parameters []Column
	inserted   int64 // rows, in total since it was prepared: the server does not reset its count
}

// Prepare prepares a statement for repeated use.
func (c *Conn) Prepare(ctx context.Context, sql string) (*Stmt, error) {
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	defer c.leave()
	s := &Stmt{conn: c, text: sql, keep: true}

	return s, s.prepare(ctx)
}

// Query runs the statement and returns its rows, which must be closed. Arguments are nil, bool, any
// integer or floating-point number, string, []byte, time.Time, netip.Addr or net.IP.
func (s *Stmt) Query(ctx context.Context, args ...any) (*Rows, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	rows, err := s.execute(ctx, args)
	if err != nil {
		s.conn.leave()
	}

	return rows, err
}

// Exec runs the statement and returns how many rows it changed. Arguments are as in Query.
func (s *Stmt) Exec(ctx context.Context, args ...any) (int64, error) {
	return changedBy(s.Query(ctx, args...))
}

// If the statement is closed meanwhile, it is freed after the call.
func (s *Stmt) enter(ctx context.Context) error {
	if err := s.conn.enter(ctx); err != nil {
		return err
	}
	if s.closed.Load() {
		s.conn.leave()

		return usage("the statement is closed")
	}

	return nil
}

// Parameters describes the parameters of the text, as the server reports them.
func (s *Stmt) Parameters() []Column { return s.parameters }

// Close frees the statement on the server with the next call. It may be called while the connection
// is in use, even by the statement's own rows, which stay readable. It returns nil.
func (s *Stmt) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	c := s.conn
	c.closing.Lock()
	defer c.closing.Unlock()
	c.closing.statements = append(c.closing.statements, s)

	return nil
}

func (c *Conn) freeClosed() {
	c.closing.Lock()
	defer c.closing.Unlock()
	for _, s := range c.closing.statements {
		s.free()
	}
	clear(c.closing.statements)
	c.closing.statements = c.closing.statements[:0]
}

type ids struct {
	used [maxStatements]bool
	next uint32
}

func (s *ids) take() (uint32, bool) {
	for range maxStatements {
		id := s.next
		s.next = (s.next + 1) % maxStatements
		if !s.used[id] {
			s.used[id] = true

			return id, true
		}
	}

	return 0, false
}

func (s *ids) give(id uint32) { s.used[id] = false }
