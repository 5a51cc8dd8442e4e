package cmi

// AfterReads calls fn after each read from the server.
func (c *Conn) AfterReads(fn func()) {
	exchange := c.exchange
	c.exchange = func(request, answer []byte) (sent, received int, err error) {
		defer fn()

		return exchange(request, answer)
	}
}

// ServerProtocol returns the server's protocol version.
func (c *Conn) ServerProtocol() string { return c.protocol.String() }
