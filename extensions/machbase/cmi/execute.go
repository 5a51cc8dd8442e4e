package cmi

import (
	"bytes"
	"context"
	"strings"
)

// Query runs a text with arguments and returns its rows, which must be closed. Arguments are as in
// [Stmt.Query].
func (c *Conn) Query(ctx context.Context, sql string, args ...any) (*Rows, error) {
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	rows, err := c.run(ctx, sql, args)
	if err != nil {
		c.leave()
	}

	return rows, err
}

// Exec runs a text with arguments and returns how many rows it changed. Arguments are as in
// [Stmt.Query].
func (c *Conn) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	return changedBy(c.Query(ctx, sql, args...))
}

func changedBy(rows *Rows, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	changed := rows.changed

	return changed, rows.Close()
}

func (c *Conn) run(ctx context.Context, sql string, args []any) (*Rows, error) {
	if s := c.cache.get(c, sql); s != nil {
		return s.execute(ctx, args)
	}
	s := &Stmt{conn: c, text: sql}
	if len(args) == 0 && !strings.Contains(sql, "?") { // the server would run a text with unset parameters
		return s.direct(ctx)
	}
	if known, seen := c.selections[sql]; seen {
		return s.pipeline(ctx, known, args)
	}

	return s.execute(ctx, args)
}

// take frees closed or cached statements if all numbers are in use.
func (s *Stmt) take(ctx context.Context) error {
	c := s.conn
	id, ok := c.ids.take()
	if !ok {
		for evicted := true; evicted && len(c.frees) == 0; {
			evicted = c.cache.evict()
		}
		if err := c.sendFrees(ctx); err != nil {
			return err
		}
		id, ok = c.ids.take()
	}
	if !ok {
		return NewError(KindBusy, "the connection has %d prepared statements and appenders, which is the server's limit: close some",
			maxStatements)
	}
	s.id, s.prepared = id, true

	return nil
}

func (s *Stmt) prepare(ctx context.Context) error {
	if err := s.take(ctx); err != nil {
		return err
	}
	c := s.conn
	c.out.reset()
	c.out.prepare(s)
	body, err := c.ask(ctx, msgPrepare, s.id)
	if err == nil {
		err = s.described(ctx, body)
	}
	if err != nil {
		s.free()
	} else if !s.keep && c.acknowledge != nil {
		s.description = bytes.Clone(body)
	}

	return err
}

func (s *Stmt) described(ctx context.Context, body []byte) error {
	a, _, err := readResult(body)
	if err != nil {
		return s.conn.failure(ctx, err)
	}
	if a.parameterCount != len(a.parameters) {
		return s.conn.failure(ctx, protocolError("a statement has %d parameters, but %d are described", a.parameterCount, len(a.parameters)))
	}
	s.layout, s.parameters = layoutOf(a.columns), layoutOf(a.parameters).columns
	s.kind, s.inserted = a.kind, 0

	return nil
}

// The caller has entered the connection, and leaves it if this fails; otherwise Rows.Close
// does.
func (s *Stmt) execute(ctx context.Context, args []any) (*Rows, error) {
	if !s.prepared {
		if err := s.prepare(ctx); err != nil {
			return nil, err
		}
	}
	c := s.conn
	var err error
	if c.params, err = appendParameters(c.params[:0], s.parameters, args); err != nil {
		s.release(false)

		return nil, err
	}
	c.out.reset()
	c.out.execute(s, c.config.FetchRows, c.params, len(args) > 0)
	body, err := c.ask(ctx, msgExecute, s.id)
	if cap(c.params) > keptBuffer {
		c.params = nil
	}
	if err != nil {
		s.release(true)

		return nil, err
	}

	return s.answered(ctx, body)
}

func (s *Stmt) direct(ctx context.Context) (*Rows, error) {
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	c := s.conn
	c.out.reset()
	c.out.begin(msgDirect, s.id, 0)
	c.out.sql(unitDirectText, s.text)
	c.out.uint64(unitStatement, uint64(s.id))
	c.out.fetchRows(c.config.FetchRows)
	c.out.end()
	body, err := c.ask(ctx, msgDirect, s.id)
	if err != nil {
		s.release(true)

		return nil, err
	}

	return s.answered(ctx, body)
}

func (s *Stmt) answered(ctx context.Context, body []byte) (*Rows, error) {
	c := s.conn
	a, rest, err := readResult(body)
	if err != nil {
		err = c.failure(ctx, err)
		s.release(true)

		return nil, err
	}
	if len(a.columns) > 0 || s.layout == nil {
		s.layout = layoutOf(a.columns)
	}
	changed := a.changed
	if s.kind == statementInsert {
		changed, s.inserted = a.changed-s.inserted, a.changed
	}

	r := &c.rows
	r.row.begin(s.layout)
	r.conn, r.ctx, r.statement, r.units = c, ctx, s, rest
	r.more, r.open, r.err, r.changed = len(s.layout.columns) > 0 && !a.last, true, nil, changed
	r.fetched, r.freeing = false, false

	return r, nil
}

func (c *Conn) fetch(ctx context.Context, s *Stmt) ([]byte, error) {
	c.out.reset()
	c.out.begin(msgFetch, s.id, 0)
	c.out.uint32(unitFetchStatement, s.id)
	c.out.fetchRows(c.config.FetchRows)
	c.out.end()
	body, err := c.ask(ctx, msgFetch, s.id)
	if err != nil {
		return nil, err
	}
	if first, _, err := nextUnit(body); err != nil || first.id != unitResult {
		return nil, c.failure(ctx, protocolError("an answer has no result"))
	}

	return body, nil
}

// If the server may still be executing it, it must be freed.
func (s *Stmt) release(unfinished bool) {
	if unfinished || !s.keep {
		s.free()
	}
}

func (s *Stmt) free() {
	if !s.prepared {
		return
	}
	s.prepared = false
	s.conn.frees = append(s.conn.frees, s.id)
}
