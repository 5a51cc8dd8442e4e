package cmi

import (
	"context"
	"strings"
)

// Query runs a text with its arguments and returns its rows, which must be closed. Arguments are as
// those of [Stmt.Query].
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

// Exec runs a text with its arguments and returns how many rows it changed. Arguments are as those
// of [Stmt.Query].
func (c *Conn) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	if err := c.enter(ctx); err != nil {
		return 0, err
	}
	rows, err := c.run(ctx, sql, args)
	if err != nil {
		c.leave()

		return 0, err
	}
	changed := rows.changed

	return changed, rows.Close()
}

// run runs a text: as a statement that is kept when the cache says so, else as one that is freed
// after its use.
func (c *Conn) run(ctx context.Context, sql string, args []any) (*Rows, error) {
	if s := c.cache.get(c, sql); s != nil {
		return s.execute(ctx, args)
	}
	s := &Stmt{conn: c, text: sql}
	if len(args) == 0 && !strings.Contains(sql, "?") { // which the server would run with nothing in its place
		return s.direct(ctx)
	}
	if known, seen := c.selections[sql]; seen {
		return s.pipeline(ctx, known, args)
	}

	return s.execute(ctx, args)
}
