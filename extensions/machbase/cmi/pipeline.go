package cmi

import (
	"bytes"
	"context"
	"net"
)

// selection is what a connection remembers of a query that it has prepared, executed and freed
// before, and whose rows came in one answer. The next time, the three requests go out in one write,
// and cost one round trip instead of three.
type selection struct {
	layout      *layout
	parameters  []Column
	description []byte // of both, as the server gave it
}

// maxSelections bounds what a connection remembers.
const maxSelections = 64

// remember takes note of a statement whose rows were all in its first answer.
func (c *Conn) remember(s *Stmt) {
	if s.description == nil || s.kind != statementSelect || len(c.selections) >= maxSelections {
		return
	}
	if c.selections == nil {
		c.selections = make(map[string]selection)
	}
	c.selections[s.text] = selection{s.layout, s.parameters, s.description}
}

// pipeline prepares, executes and frees a query in one go. Where the server describes it in another
// way, or its rows are more than one answer's, which the server has freed by then, all is forgotten
// and done step by step.
func (s *Stmt) pipeline(ctx context.Context, known selection, args []any) (*Rows, error) {
	c := s.conn
	var err error
	if c.params, err = appendParameters(c.params[:0], known.parameters, args); err != nil {
		return nil, err
	}
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	s.prepared = false // the request frees it
	c.out.reset()
	c.out.prepare(s)
	c.out.execute(s, c.config.FetchRows, c.params, len(args) > 0)
	c.out.free(s.id)
	body, err := c.ask(ctx, msgPrepare, s.id)
	if err != nil {
		return nil, err
	}
	same, described := s.recognised(ctx, body, known)
	if c.Broken() {
		return nil, c.endedAfter(ctx, described)
	}

	// The server holds back its next answers until this one is acknowledged, which this system
	// would take its time for.
	c.acknowledge()
	m, err := c.answer(msgExecute, s.id)
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	last, err := c.isComplete(ctx, m.body)
	if same && err == nil && last {
		rows, err := s.answered(ctx, m.body)
		if err == nil {
			rows.freeing = true
		}

		return rows, err
	}

	delete(c.selections, s.text)
	if freeErr := c.awaitFree(ctx, s.id); freeErr != nil {
		return nil, freeErr
	}
	switch {
	case described != nil:
		return nil, described
	case err != nil && same:
		return nil, err
	default:
		return s.execute(ctx, args)
	}
}

// recognised reads the answer to a prepare, and tells whether it is the one that is known.
func (s *Stmt) recognised(ctx context.Context, body []byte, known selection) (bool, error) {
	if !bytes.Equal(body, known.description) {
		return false, s.described(ctx, body)
	}
	s.layout, s.parameters, s.kind = known.layout, known.parameters, statementSelect

	return true, nil
}

// endedAfter returns why the connection is broken after an answer that was read: for the answer's
// own sake, or because the context has ended since, or because somebody has closed the connection.
func (c *Conn) endedAfter(ctx context.Context, answered error) error {
	if answered != nil {
		return answered
	}

	return c.failure(ctx, net.ErrClosed)
}

// awaitFree reads the answer to a free that was sent before.
func (c *Conn) awaitFree(ctx context.Context, id uint32) error {
	if c.Broken() {
		return c.failure(ctx, c.connection)
	}
	if _, err := c.answer(msgFree, id); err != nil {
		return c.failure(ctx, err)
	}
	c.ids.give(id)

	return nil
}

// isComplete tells whether an answer has all rows there are.
func (c *Conn) isComplete(ctx context.Context, body []byte) (bool, error) {
	complete := false
	for len(body) > 0 {
		u, rest, err := nextUnit(body)
		if err != nil {
			return false, c.failure(ctx, err)
		}
		body = rest
		if u.id != unitResult {
			continue
		}
		last, err := result(u.number, rest)
		if err != nil {
			return false, c.failure(ctx, err)
		}
		complete = complete || last
	}

	return complete, nil
}
