package cmi

import (
	"bytes"
	"context"
	"net"
)

// selection is a query of the connection whose rows fitted in one answer. The next time, its
// three requests are sent in one write, for one round trip.
type selection struct {
	layout      *layout
	parameters  []Column
	description []byte
}

const maxSelections = 64

func (c *Conn) remember(s *Stmt) {
	if s.description == nil || s.kind != statementSelect || len(c.selections) >= maxSelections {
		return
	}
	if c.selections == nil {
		c.selections = make(map[string]selection)
	}
	c.selections[s.text] = selection{s.layout, s.parameters, s.description}
}

// pipeline prepares, executes and frees a query with one write. If the server's description has
// changed, or the rows need several answers (the server has already freed the query then), it
// forgets the selection, and the query runs step by step.
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
		return nil, described
	}

	// The server holds back its next answers until this one is acknowledged, which the kernel would
	// delay.
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

// recognised reports whether the description is the known one. It returns an error if it is not and
// cannot be read, and if the connection is broken.
func (s *Stmt) recognised(ctx context.Context, body []byte, known selection) (same bool, err error) {
	if same = bytes.Equal(body, known.description); same {
		s.layout, s.parameters, s.kind = known.layout, known.parameters, statementSelect
	} else {
		err = s.described(ctx, body)
	}
	if err == nil && s.conn.Broken() {
		err = s.conn.failure(ctx, net.ErrClosed)
	}

	return same, err
}

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
