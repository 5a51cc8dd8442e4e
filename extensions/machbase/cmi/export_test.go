package cmi

func (c *Conn) AfterReads(fn func()) {
	exchange := c.exchange
	c.exchange = func(request, answer []byte) (sent, received int, err error) {
		defer fn()

		return exchange(request, answer)
	}
}

func (c *Conn) ServerProtocol() string { return c.protocol.String() }
