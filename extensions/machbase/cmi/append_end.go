package cmi

import "context"

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

	err := a.count(ctx)
	if a.conn.Broken() {
		return a.Receipt(), err
	}
	if _, openErr := a.open(ctx); openErr != nil {
		a.closed = true
		delete(a.conn.appenders, a.id)
		a.conn.frees = append(a.conn.frees, a.id)
		if err == nil {
			err = openErr
		}
	}

	return a.Receipt(), err
}

func (a *Appender) open(ctx context.Context) (answer, error) {
	a.conn.out.reset()
	a.request(msgAppendOpen)
	body, err := a.conn.ask(ctx, msgAppendOpen, a.id)
	if err != nil {
		return answer{}, err
	}
	opened, _, err := readResult(body)
	if err != nil {
		err = a.openError(a.conn.failure(ctx, err))
	}

	return opened, err
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
	err := a.count(ctx)
	if !a.conn.Broken() {
		delete(a.conn.appenders, a.id)
		a.conn.ids.give(a.id)
	}

	return err
}

// count closes the appender on the server, which then reports how many rows it has accepted.
func (a *Appender) count(ctx context.Context) error {
	a.conn.out.reset()
	a.request(msgAppendClose)
	body, err := a.conn.ask(ctx, msgAppendClose, a.id)
	if err != nil {
		return err
	}

	return a.counted(ctx, body)
}
