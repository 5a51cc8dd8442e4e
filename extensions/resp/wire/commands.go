package wire

import (
	"strconv"
	"strings"
)

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
	var digits [20]byte
	switch q.Verb {
	case Get:
		c.command("get", q.Key)
	case Delete:
		c.command("del", q.Key)
	case Set:
		if q.TTL == 0 {
			c.command("set", q.Key, q.Value)
		} else {
			c.command("set", q.Key, q.Value, []byte("ex"), strconv.AppendInt(digits[:0], int64(q.TTL), 10))
		}
	case Touch:
		if q.TTL == 0 {
			c.command("persist", q.Key)
		} else {
			c.command("expire", q.Key, strconv.AppendInt(digits[:0], int64(q.TTL), 10))
		}
	case Any:
		c.head('*', len(q.Words))
		for _, word := range q.Words {
			c.word(word)
		}
	}
}

// command writes a command and its arguments.
func (c *Conn) command(name string, words ...[]byte) {
	c.begins(name, len(words))
	for _, word := range words {
		c.word(word)
	}
}

// begins writes a command's name; the words follow.
func (c *Conn) begins(name string, words int) {
	c.head('*', words+1)
	c.head('$', len(name))
	c.out = append(append(c.out, name...), "\r\n"...)
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

// ask sends a command of its own.
func (c *Conn) ask(name string, words ...[]byte) *Error {
	if failed := c.begin(); failed != nil {
		return failed
	}
	c.command(name, words...)

	return c.flush()
}

// GetMulti runs MGET. It calls got with the index and the value of each key that exists; the value
// is valid until got returns. It returns into, which holds the values and may have grown.
func (c *Conn) GetMulti(keys [][]byte, into []byte, got func(i int, value []byte)) ([]byte, error) {
	if len(keys) == 0 {
		return into, nil
	}
	if failed := c.ask("mget", keys...); failed != nil {
		return into, failed
	}
	n, failed := c.readArray()
	switch {
	case failed != nil:
		return into, failed
	case n != len(keys):
		return into, c.protocolError("the server sent %d values for %d keys", n, len(keys))
	}
	into, failed = c.readValues(n, into, func(i int, value []byte, found bool) {
		if found {
			got(i, value)
		}
	})

	return into, asError(failed)
}

// Info returns a section of INFO. "" asks for the server's default sections.
func (c *Conn) Info(section string) (string, error) {
	words := [][]byte{[]byte(section)}
	if section == "" {
		words = nil
	}
	if failed := c.ask("info", words...); failed != nil {
		return "", failed
	}
	text, _, failed := c.readValue(nil)

	return strings.TrimPrefix(string(text), "txt:"), asError(failed) // the format of RESP 3
}

func (c *Conn) word(word []byte) {
	c.head('$', len(word))
	c.out = append(append(c.out, word...), "\r\n"...)
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

// runBytes is how many bytes of commands are sent before their answers are read. More might not fit
// into the socket buffers, and then both sides would block in a write.
const runBytes = 32 << 10

const overhead = 128

func (q *Request) size() int {
	size := len(q.Key) + len(q.Value) + overhead
	for _, word := range q.Words {
		size += len(word) + overhead
	}

	return size
}

// Pipeline is a list of commands that are sent together before their answers are read.
type Pipeline interface {
	// Request returns command i.
	Request(i int) Request
	// Answered is called for each answer in order. Its text is valid until Answered returns.
	Answered(i int, answer Reply, err error)
}

// Pipeline runs n commands. An error breaks the connection; commands without an answer fail with
// it. It returns into, which holds the values and may have grown.
func (c *Conn) Pipeline(n int, p Pipeline, into []byte) ([]byte, error) {
	started := c.Start(n, p)

	return c.Finish(started, n, p, into)
}

// Started is a pipeline whose first commands are sent.
type Started struct {
	sent   int
	failed *Error
}

// Start sends the first commands of a pipeline. Finish must follow.
func (c *Conn) Start(n int, p Pipeline) Started {
	s := Started{failed: c.begin()}
	if s.failed == nil {
		s.sent, s.failed = c.sendRun(p, 0, n)
	}

	return s
}

// Finish reads the answers, and runs the commands that are not sent yet.
func (c *Conn) Finish(s Started, n int, p Pipeline, into []byte) ([]byte, error) {
	for done := 0; s.failed == nil; {
		for ; s.failed == nil && done < s.sent; done++ {
			into, s.failed = c.answer(done, p, into)
		}
		if s.failed != nil || done == n {
			break
		}
		if s.failed = c.inStep(); s.failed == nil {
			s.sent, s.failed = c.sendRun(p, done, n)
		}
	}

	return into, asError(s.failed)
}

func (c *Conn) sendRun(p Pipeline, from, n int) (end int, failed *Error) {
	for end = from; end < n; end++ {
		q := p.Request(end)
		if end > from && len(c.out)+q.size() > runBytes {
			break
		}
		c.write(&q)
	}

	return end, c.flush()
}

func (c *Conn) answer(i int, p Pipeline, into []byte) ([]byte, *Error) {
	q := p.Request(i)
	reply, failed := c.read(&q, into)
	if failed != nil && c.Failed != nil {
		return reply.Text, failed
	}
	p.Answered(i, reply, asError(failed))

	return reply.Text, nil
}
