package wire

// Verb is a command that a pipeline may hold.
type Verb uint8

// The verbs.
const (
	Get    Verb = iota // GET
	Set                // SET, with EX where it has a time to live
	Delete             // DEL
	Touch              // EXPIRE, or PERSIST where it has no time to live
)

// Request is one command.
type Request struct {
	Verb  Verb
	Key   []byte
	Value []byte // of a Set
	TTL   int    // of a Set and a Touch, in seconds; 0: for ever
}

// Get returns the key's value, in the memory of into or, where that is too small, in other. It is
// not found where there is none.
func (c *Conn) Get(key, into []byte) (value []byte, found bool, err error) {
	value, found, failed := c.do(&Request{Verb: Get, Key: key}, into)

	return value, found, asError(failed)
}

// Do does a command that returns no value.
func (c *Conn) Do(q *Request) error {
	_, _, failed := c.do(q, nil)

	return asError(failed)
}

func (c *Conn) do(q *Request, into []byte) (value []byte, found bool, failed *Error) {
	if failed = c.begin(); failed != nil {
		return into[:0], false, failed
	}
	c.write(q)
	if failed = c.flush(); failed != nil {
		return into[:0], false, failed
	}

	return c.read(q, into)
}

// asError is nil for nil.
func asError(e *Error) error {
	if e == nil {
		return nil
	}

	return e
}

// write puts a command behind those that are still to be written.
func (c *Conn) write(q *Request) {
	switch q.Verb {
	case Get:
		c.command("get", 1)
		c.word(q.Key)
	case Delete:
		c.command("del", 1)
		c.word(q.Key)
	case Set:
		c.writeSet(q)
	case Touch:
		if q.TTL == 0 {
			c.command("persist", 1)
			c.word(q.Key)

			return
		}
		c.command("expire", 2)
		c.word(q.Key)
		c.number(q.TTL)
	}
}

func (c *Conn) writeSet(q *Request) {
	words := 2
	if q.TTL != 0 {
		words = 4
	}
	c.command("set", words)
	c.word(q.Key)
	c.word(q.Value)
	if q.TTL != 0 {
		c.word([]byte("ex"))
		c.number(q.TTL)
	}
}

// read reads the answer to a command.
func (c *Conn) read(q *Request, into []byte) (value []byte, found bool, failed *Error) {
	switch q.Verb {
	case Get:
		return c.readValue(into)
	case Set:
		return into, false, c.readStatus()
	case Delete, Touch:
	}

	return into, false, c.readInteger()
}

// GetMulti gets many keys with MGET, and calls got with the index and the value of each that is
// there. The value is got's until it returns; into is memory for it, which is returned as it has
// grown.
func (c *Conn) GetMulti(keys [][]byte, into []byte, got func(i int, value []byte)) ([]byte, error) {
	if len(keys) == 0 {
		return into, nil
	}
	if failed := c.begin(); failed != nil {
		return into, failed
	}
	c.command("mget", len(keys))
	for _, key := range keys {
		c.word(key)
	}
	if failed := c.flush(); failed != nil {
		return into, failed
	}
	n, failed := c.readLength('*', MaxElements, "an array of %s elements")
	switch {
	case failed != nil:
		return into, failed
	case n != len(keys):
		return into, c.lied("the server sent %d values of %d keys", max(n, 0), len(keys))
	}
	for i := range n {
		value, found, failed := c.readValue(into)
		if failed != nil {
			if c.failed == nil { // an error within an array is none of MGET's
				_ = c.lied("%s", failed.Message)
			}

			return into, failed
		}
		into = value
		if found {
			got(i, value)
		}
	}

	return into, nil
}

// Info asks for INFO of a section: "" is what the server tells unasked.
func (c *Conn) Info(section string) (string, error) {
	if failed := c.begin(); failed != nil {
		return "", failed
	}
	if section == "" {
		c.command("info", 0)
	} else {
		c.command("info", 1)
		c.word([]byte(section))
	}
	if failed := c.flush(); failed != nil {
		return "", failed
	}
	text, _, failed := c.readValue(nil)

	return string(text), asError(failed)
}
