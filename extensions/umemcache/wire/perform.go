package wire

func (c *Client) get(conn *conn) (e *Error) {
	c.value, c.found, e = conn.get(c.key, c.into)
	c.locks = !c.found

	return e
}

func (c *Client) del(conn *conn) *Error { return conn.del(c.key) }

func (c *Client) getOrSet(conn *conn) (e *Error) {
	c.value, c.found, e = conn.get(c.key, c.into)
	if e != nil {
		return e
	}
	if c.found {
		c.found = !c.filled // a key that was filled in before a change of the cluster still counts as missing

		return nil
	}
	if !c.filled {
		if e := c.make(); e != nil {
			return e
		}
	}
	c.value = c.made

	return conn.fill(c.made)
}

func (c *Client) make() *Error {
	made, err := c.fill()
	if err != nil {
		return newError(KindFill, err, "the value could not be made: %s", err)
	}
	if e := c.checkValue(made); e != nil {
		return e
	}
	c.made, c.filled = made, true

	return nil
}

func (c *Client) checkValue(value []byte) *Error {
	if limit := c.target.settings().MaxValue; len(value) > limit {
		return newError(KindTooLarge, nil, "a value of %d bytes is larger than maxValue (%d)", len(value), limit)
	}

	return nil
}

// set deletes the key until the server asks this client to fill it.
func (c *Client) set(conn *conn) (e *Error) {
	for found := true; found; {
		if e := conn.del(c.key); e != nil {
			return e
		}
		if c.scratch, found, e = conn.get(c.key, c.scratch[:0]); e != nil {
			return e
		}
	}

	return conn.fill(c.made)
}
