package wire

// authenticate logs in as doc/protocol.txt, "Authentication", says: user and password are the value
// of a set with any key. The value expires immediately, because a server without --auth-file stores
// it as an ordinary value, which anyone could read.
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
