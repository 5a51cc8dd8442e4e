package cmi

import (
	"context"
)

// Sync sends the buffered rows, waits until the server has accepted or rejected all rows, and
// returns how many.
func (a *Appender) Sync(ctx context.Context) (Receipt, error) {
	if err := a.enter(ctx); err != nil {
		return a.Receipt(), err
	}
	defer a.conn.leave()
	if err := a.send(ctx); err != nil {
		return a.Receipt(), err
	}

	c := a.conn
	c.out.reset()
	a.request(msgAppendClose)
	body, err := c.ask(ctx, msgAppendClose, a.id)
	if err != nil {
		return a.Receipt(), err
	}
	err = a.counted(ctx, body)
	if openErr := a.open(ctx); err == nil {
		err = openErr
	}

	return a.Receipt(), err
}

func (a *Appender) open(ctx context.Context) error {
	c := a.conn
	c.out.reset()
	a.request(msgAppendOpen)
	body, err := c.ask(ctx, msgAppendOpen, a.id)
	if err == nil {
		_, _, err = readResult(body)
	}
	if err == nil {
		return nil
	}
	err = c.failure(ctx, err)
	a.closed = true
	delete(c.appenders, a.id)
	c.frees = append(c.frees, a.id)

	return a.openError(err)
}

// Close sends the buffered rows, closes the appender, and returns how many rows the server has
// accepted and rejected.
func (a *Appender) Close(ctx context.Context) (Receipt, error) {
	if a.closed {
		return a.Receipt(), nil
	}
	if err := a.conn.enter(ctx); err != nil {
		return a.Receipt(), err
	}
	defer a.conn.leave()
	if err := a.send(ctx); err != nil {
		return a.Receipt(), err
	}
	err := a.end(ctx)

	return a.Receipt(), err
}

func (a *Appender) end(ctx context.Context) error {
	a.closed = true
	c := a.conn
	c.out.reset()
	a.request(msgAppendClose)
	body, err := c.ask(ctx, msgAppendClose, a.id)
	if err != nil {
		return err
	}
	err = a.counted(ctx, body)
	delete(c.appenders, a.id)
	c.ids.give(a.id)

	return err
}
