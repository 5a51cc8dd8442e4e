package cmi

// AfterReads calls fn each time when something was read from the server.
func (c *Conn) AfterReads(fn func()) {
	exchange := c.exchange
	c.exchange = func(request, answer []byte) (sent, received int, err error) {
		defer fn()

		return exchange(request, answer)
	}
}

// ServerProtocol is the version of the protocol that the server has said.
func (c *Conn) ServerProtocol() string { return c.protocol.String() }
