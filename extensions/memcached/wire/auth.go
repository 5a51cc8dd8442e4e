package wire

// authenticate sends user and password as the value of a set with any key, which is how memcached's
// text protocol does it (doc/protocol.txt, "Authentication"). The value expires at once: a server
// that was started without --auth-file takes it for a value like any other, and would show the
// password to everybody.
func (c *Conn) authenticate(user, password string) *Error {
	q := Request{Verb: Set, Key: []byte("auth"), Value: []byte(user + " " + password), Expire: -1}
	if err := c.begin(); err != nil {
		return err
	}
	if err := c.writeText(&q); err != nil {
		return err
	}
	if err := c.flush(); err != nil {
		return err
	}
	var a Reply
	err := c.readText(&q, &a)
	if err != nil && err.Kind == KindInvalid {
		return Errorf(KindAuth, "the server does not accept user and password")
	}

	return err
}
