package cmi

import "context"

// Post sends a query of a text whose statement is kept and prepared, at a seat of an event loop:
// the seat's turn is over then, and the next one comes when there is an answer. It tells whether it
// has sent it. If so, Posted has to be called next, within the same context; else nothing was done,
// and Query does it.
func (c *Conn) Post(ctx context.Context, sql string, args []any) (posted bool, err error) {
	if !c.seated || !c.cache.isReady(sql) {
		return false, nil
	}
	if err := c.enter(ctx); err != nil {
		return false, err
	}
	s := c.cache.get(c, sql)
	if !s.prepared || c.in.buffered() { // closed statements were freed on entering
		c.leave()

		return false, nil
	}
	if err := s.compose(args); err != nil {
		c.leave()

		return false, err
	}
	err = c.write(c.out.buf)
	c.out.trim()
	if err != nil {
		err = c.failure(ctx, err)
		s.release(true)
		c.leave()

		return false, err
	}
	c.posted = s
	c.socket.Rest()

	return true, nil
}

// Posted reads the answer to what was posted, and returns its rows, as Query does.
func (c *Conn) Posted(ctx context.Context) (*Rows, error) {
	s := c.posted
	c.posted = nil
	m, err := c.answer(msgExecute, s.id)
	if err != nil {
		err = c.failure(ctx, err)
		s.release(true)
		c.leave()

		return nil, err
	}
	rows, err := s.answered(ctx, m.body)
	if err != nil {
		c.leave()
	}

	return rows, err
}
