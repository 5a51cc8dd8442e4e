package wire

import (
	"errors"
	"io"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/wireconn"
)

const (
	maxKey = 255 // the length is sent in one byte

	bufferSize = 16 << 10 // limit of the read buffer; and the part of a value that is written with the head
	firstRead  = 64 << 10 // maximum allocation for an announced length

	commandGetOrSet = 0
	commandDel      = 1
	commandConnect  = 8 // a server built for clusters has its command where a plain one ignores four bytes

	hit  = 0
	miss = 1
	done = 0
)

// conn is a connection to a thread of a server, or to a cluster's node.
type conn struct {
	wireconn.Conn

	stream io.ReadWriter // inside TLS
	reader *wireconn.Reader
	buffer []byte // request that is being written

	generation Generation
	maxValue   int

	unconfirmed bool

	received, sent uint64 // bytes that were counted
}

func (c *conn) handshake(thread int) *Error {
	order := c.generation.order()
	c.buffer = append(c.buffer[:0], commandConnect, 0, 0, 0)
	c.buffer = order.AppendUint32(c.buffer, uint32(thread))
	if err := c.write(c.buffer); err != nil {
		return broken(err, "the handshake")
	}

	return c.expectDone("the handshake")
}

// After a miss, only fill may follow.
func (c *conn) get(key, into []byte) (value []byte, found bool, e *Error) {
	if e := c.command(commandGetOrSet, key); e != nil {
		return into, false, e
	}

	head, err := c.read(9)
	switch {
	case err == nil:
	case wireconn.IsTimeout(err) && len(head) == 0:
		return into, false, newError(KindLockWait, err,
			"no answer to a get in time: another connection holds the key's fill lock, or the server does not answer at all")
	default:
		e := broken(err, "the answer to a get")
		e.unanswered = len(head) == 0 // G1 does this to a client that waited for the lock, got it, and lost it at the same moment

		return into, false, e
	}

	size := c.generation.order().Uint64(head)
	switch head[8] {
	case miss: // the size is garbage
		return into, false, nil
	case hit:
		value, e := c.readValue(into, size)

		return value, e == nil, e
	default:
		return into, false, newError(KindProtocol, nil, "the answer to a get says neither hit (0) nor miss (1) but %d", head[8])
	}
}

// Memory grows with the bytes that arrive.
func (c *conn) readValue(into []byte, size uint64) ([]byte, *Error) {
	if size > uint64(c.maxValue) {
		return into, newError(KindTooLarge, nil, "the server announces a value of %d bytes; maxValue is %d", size, c.maxValue)
	}
	for missing := int(size); missing > 0; {
		step := min(missing, max(firstRead, len(into)))
		into = slices.Grow(into, step)
		n, err := io.ReadFull(c.reader, into[len(into):len(into)+step])
		into = into[:len(into)+n]
		if err != nil {
			return into, broken(err, "a value")
		}
		missing -= step
	}

	return into, nil
}

func (c *conn) fill(value []byte) *Error {
	if e := c.inStep(); e != nil {
		return e
	}
	c.buffer = c.generation.order().AppendUint64(c.buffer[:0], uint64(len(value)))
	first := min(len(value), bufferSize-len(c.buffer))
	c.buffer = append(c.buffer, value[:first]...)

	err := c.write(c.buffer)
	if err == nil && first < len(value) {
		err = c.write(value[first:])
	}
	if err != nil {
		return lostIn(broken(err, "a fill"))
	}
	if c.generation.acknowledgesFill() {
		return lostIn(c.expectDone("a fill"))
	}
	c.unconfirmed = true

	return nil
}

// The server closes the connection, without an error message, if the lock was taken or the
// value has no room.
func lostIn(e *Error) *Error {
	if e == nil || e.Kind != KindConnection {
		return e
	}

	return newError(KindLockLost, e.Err, "the server closed the connection in a fill (%s): a del or a timeout took the key's "+
		"fill lock, or the value is larger than a thread's memory", reason(e.Err))
}

func (c *conn) del(key []byte) *Error {
	if e := c.command(commandDel, key); e != nil {
		return e
	}

	return c.expectDone("the answer to a del")
}

func (c *conn) command(command byte, key []byte) *Error {
	if e := c.inStep(); e != nil {
		return e
	}
	c.buffer = append(c.buffer[:0], command, byte(len(key)))
	c.buffer = append(c.buffer, key...)
	if err := c.write(c.buffer); err != nil {
		e := broken(err, "sending a command")
		e.unanswered = !wireconn.IsTimeout(err)

		return e
	}

	return nil
}

func (c *conn) inStep() *Error {
	if n := c.reader.Buffered(); n > 0 {
		return newError(KindProtocol, nil, "the server sent %d unexpected bytes", n)
	}

	return nil
}

func (c *conn) expectDone(doing string) *Error {
	answer, err := c.read(1)
	if err != nil {
		e := broken(err, doing)
		e.unanswered = !wireconn.IsTimeout(err)

		return e
	}
	if answer[0] != done {
		return newError(KindProtocol, nil, "%s must be answered with 0, not %d", doing, answer[0])
	}

	return nil
}

// The bytes are valid until the next read. read also marks the connection as in step:
// everything sent before has been answered.
func (c *conn) read(n int) ([]byte, error) {
	bytes, err := c.reader.Peek(n)
	if err != nil {
		if errors.Is(err, io.EOF) && len(bytes) > 0 {
			err = io.ErrUnexpectedEOF
		}

		return bytes, err
	}
	c.unconfirmed = false
	c.reader.Discard(n)

	return bytes, nil
}

func (c *conn) write(bytes []byte) error {
	_, err := c.stream.Write(bytes)

	return err
}
