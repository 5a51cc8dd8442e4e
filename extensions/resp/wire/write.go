package wire

import "strconv"

func (c *Conn) command(name string, words int) {
	c.head('*', words+1)
	c.head('$', len(name))
	c.out = append(append(c.out, name...), "\r\n"...)
}

func (c *Conn) word(word []byte) {
	c.head('$', len(word))
	c.out = append(append(c.out, word...), "\r\n"...)
}

func (c *Conn) number(n int) {
	var digits [20]byte
	c.word(strconv.AppendInt(digits[:0], int64(n), 10))
}

func (c *Conn) head(kind byte, n int) {
	c.out = append(strconv.AppendInt(append(c.out, kind), int64(n), 10), "\r\n"...)
}

// flush sends the commands that are written, and reads the answer to ASKING if that precedes them.
func (c *Conn) flush() *Error {
	_, err := c.stream.Write(c.out)
	c.out = c.out[:0]
	if cap(c.out) > 4*writeSize {
		c.out = nil
	}
	if err != nil {
		return c.fail(c.broken(err))
	}
	if !c.asking {
		return nil
	}
	c.asking = false
	failed := c.readStatus()
	if failed != nil && c.Failed == nil {
		return c.protocolError("%s", failed.Message)
	}

	return failed
}
