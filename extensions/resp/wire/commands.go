package wire

import "strings"

// Verb is a command of a pipeline.
type Verb uint8

// The verbs.
const (
	Get    Verb = iota // GET
	Set                // SET, with EX if there is a time to live
	Delete             // DEL
	Touch              // EXPIRE, or PERSIST if there is no time to live
	Any                // Request.Words
)

// Request is one command.
type Request struct {
	Verb  Verb
	Key   []byte
	Value []byte
	TTL   int      // for Set and Touch, in seconds; 0: no expiry
	Words [][]byte // for Any: the command's name and its arguments
}

// Get returns the key's value in into, or in new memory if into is too small.
func (c *Conn) Get(key, into []byte) (value []byte, found bool, err error) {
	reply, failed := c.do(&Request{Verb: Get, Key: key}, into)

	return reply.Text, reply.Type == TypeString, asError(failed)
}

// Do runs a command that returns no value.
func (c *Conn) Do(q *Request) error {
	_, failed := c.do(q, nil)

	return asError(failed)
}

func (c *Conn) do(q *Request, into []byte) (Reply, *Error) {
	if failed := c.begin(); failed != nil {
		return Reply{Text: into[:0]}, failed
	}
	c.write(q)
	if failed := c.flush(); failed != nil {
		return Reply{Text: into[:0]}, failed
	}

	return c.read(q, into)
}

// asError keeps a nil *Error a nil error.
func asError(e *Error) error {
	if e == nil {
		return nil
	}

	return e
}

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
	case Any:
		c.head('*', len(q.Words))
		for _, word := range q.Words {
			c.word(word)
		}
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

func (c *Conn) read(q *Request, into []byte) (Reply, *Error) {
	reply := Reply{Text: into}
	switch q.Verb {
	case Get:
		value, found, failed := c.readValue(into)
		if found {
			return Reply{TypeString, value}, failed
		}

		return Reply{TypeNull, value}, failed
	case Set:
		return reply, c.readStatus()
	case Any:
		return c.readAny(into)
	case Delete, Touch:
	}

	return reply, c.readInteger()
}

// GetMulti runs MGET. It calls got with the index and the value of each key that exists; the value
// is valid until got returns. It returns into, which holds the values and may have grown.
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
		return into, c.protocolError("the server sent %d values for %d keys", max(n, 0), len(keys))
	}
	for i := range n {
		value, found, failed := c.readValue(into)
		if failed != nil {
			if c.Failed == nil { // MGET answers hold no errors within the array
				_ = c.protocolError("%s", failed.Message)
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

// Info returns a section of INFO. "" asks for the server's default sections.
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

	return strings.TrimPrefix(string(text), "txt:"), asError(failed) // the format of RESP 3
}
