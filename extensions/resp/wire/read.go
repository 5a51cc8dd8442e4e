package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Limits of an answer. Redis stays below them by default.
const (
	MaxBulk     = 512 << 20 // bytes of a string: Redis's default proto-max-bulk-len
	MaxElements = 1_000_000 // elements of an array
)

// firstGrowth is the most that is allocated for an announced length, in bytes. Longer values grow
// as their bytes arrive.
const firstGrowth = 64 << 10

// leastGrowth is the least that is allocated for a value, in bytes, so that the next value may be
// longer.
const leastGrowth = 512

const null = -1

// The line is valid until the next read.
func (c *Conn) readLine() ([]byte, *Error) {
	line, err := c.r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, c.protocolError("the server's reply has a line of more than %d bytes", readSize)
	case err != nil:
		return nil, c.fail(c.broken(err))
	case len(line) < 3 || line[len(line)-2] != '\r':
		return nil, c.protocolError("the server's reply begins with %q, which is not RESP 2", shown(line))
	}

	return line[:len(line)-2], nil
}

const mostShown = 40

func shown(line []byte) []byte { return line[:min(len(line), mostShown)] }

// An error answer leaves the connection usable.
func (c *Conn) readHead(kind byte) ([]byte, *Error) {
	line, err := c.readLine()
	if err != nil {
		return nil, err
	}
	switch is := line[0]; {
	case is == kind, is == '=' && c.resp3 && kind == '$': // a verbatim string
		return line[1:], nil
	case is == '-':
		return nil, parseError(line[1:])
	case is == '_' && c.resp3 && (kind == '$' || kind == '*'):
		return []byte("-1"), nil
	case bytes.IndexByte([]byte("+:$*"), is) >= 0:
		return nil, c.protocolError("the server's reply is %q, but a reply of type %q was expected", shown(line), kind)
	default:
		return nil, c.protocolError("the server's reply begins with %q, which is not RESP 2", shown(line))
	}
}

func (c *Conn) readStatus() *Error {
	_, err := c.readHead('+')

	return err
}

func (c *Conn) readInteger() *Error {
	_, err := c.readNumber()

	return err
}

func (c *Conn) readNumber() (int64, *Error) {
	digits, err := c.readHead(':')
	if err != nil {
		return 0, err
	}
	positive := bytes.TrimPrefix(digits, []byte("-"))
	n, ok := number(positive)
	if !ok {
		return 0, c.protocolError("the server's reply has an invalid number: %q", shown(digits))
	}
	if len(positive) < len(digits) {
		n = -n
	}

	return n, nil
}

func (c *Conn) readLength(kind byte, most int64, what string) (int, *Error) {
	if kind == '*' && c.resp3 { // a map is the array of its keys and values
		if next, err := c.r.Peek(1); err == nil && next[0] == '%' {
			pairs, failed := c.readLength('%', most/2, what)

			return 2 * pairs, failed
		}
	}
	digits, err := c.readHead(kind)
	if err != nil {
		return 0, err
	}

	return c.length(digits, most, what)
}

func (c *Conn) readArray() (int, *Error) {
	n, failed := c.readLength('*', MaxElements, "an array of %s elements")

	return max(n, 0), failed
}

func (c *Conn) length(digits []byte, most int64, what string) (int, *Error) {
	if string(digits) == "-1" {
		return null, nil
	}
	n, ok := number(digits)
	switch {
	case !ok:
		return 0, c.protocolError("the server's reply has an invalid length: %q", shown(digits))
	case n > most:
		return 0, c.protocolError("the server announces "+what+": at most %d are accepted", digits, most)
	}

	return int(n), nil
}

func (c *Conn) readValue(into []byte) (value []byte, found bool, failed *Error) {
	into = into[:0]
	n, failed := c.readLength('$', MaxBulk, "a string of %s bytes")
	if failed != nil || n == null {
		return into, false, failed
	}
	value, failed = c.readBody(into, n)

	return value, failed == nil, failed
}

// readValues reads the elements of an array. A value is valid until got returns.
func (c *Conn) readValues(n int, into []byte, got func(i int, value []byte, found bool)) ([]byte, *Error) {
	for i := range n {
		value, found, failed := c.readValue(into)
		into = value
		if failed != nil {
			return into, c.within(failed)
		}
		got(i, value, found)
	}

	return into, nil
}

// An error answer within an array breaks the connection: no command here has one.
func (c *Conn) within(failed *Error) *Error {
	if c.Failed == nil {
		return c.protocolError("%s", failed.Message)
	}

	return failed
}

func (c *Conn) readBody(into []byte, n int) ([]byte, *Error) {
	into = into[:0]
	for len(into) < n {
		if len(into) == cap(into) {
			grown := make([]byte, len(into), min(max(n, leastGrowth), max(firstGrowth, 2*len(into))))
			copy(grown, into)
			into = grown
		}
		had := len(into)
		into = into[:min(n, cap(into))]
		if got, err := io.ReadFull(c.r, into[had:]); err != nil {
			return into[:had+got], c.fail(c.broken(err))
		}
	}
	end, err := c.r.Peek(2)
	switch {
	case err != nil:
		return into, c.fail(c.broken(err))
	case end[0] != '\r' || end[1] != '\n':
		return into, c.protocolError("the server sent a string that is longer than the %d bytes it announced", n)
	}
	c.r.Discard(2)

	return into, nil
}

// Longer numbers exceed every limit above.
const longest = 18

func number(digits []byte) (n int64, ok bool) {
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
	}
	if len(digits) > longest {
		return 1 << 62, true
	}
	for _, d := range digits {
		n = n*10 + int64(d-'0')
	}

	return n, len(digits) > 0
}

// Types of replies. Types of RESP 3 only come after HELLO 3.
const (
	TypeString  = "string"
	TypeInteger = "integer"
	TypeDouble  = "double"
	TypeBoolean = "boolean"
	TypeNull    = "null"
	TypeArray   = "array"
	TypeMap     = "map"
	TypeSet     = "set"
)

// Types are all types of replies.
func Types() []string {
	return []string{TypeString, TypeInteger, TypeDouble, TypeBoolean, TypeNull, TypeArray, TypeMap, TypeSet}
}

// Reply is the answer to a command.
type Reply struct {
	Type string
	// Text is the text of a reply other than an array, map, set or null. It is valid until the next
	// command.
	Text []byte
}

// maxDepth limits how deeply the arrays of a reply are nested.
const maxDepth = 32

func (c *Conn) readAny(into []byte) (Reply, *Error) {
	elements := 0

	return c.readNested(into, 0, &elements)
}

func (c *Conn) readNested(into []byte, depth int, elements *int) (Reply, *Error) {
	line, failed := c.readLine()
	if failed != nil {
		return Reply{Text: into[:0]}, failed
	}
	kind, rest := line[0], line[1:]
	reply := Reply{Text: append(into[:0], rest...)}
	switch kind {
	case '-':
		return reply, parseError(rest)
	case '+':
		reply.Type = TypeString

		return reply, nil
	case ':', '(':
		reply.Type = TypeInteger
		if !isInteger(rest) {
			failed = c.protocolError("the server's reply has an invalid number: %q", shown(rest))
		}

		return reply, failed
	case ',':
		reply.Type = TypeDouble

		return reply, nil
	case '#':
		reply.Type = TypeBoolean

		return reply, nil
	case '_':
		return Reply{TypeNull, into[:0]}, nil
	case '$', '=', '!':
		return c.readBulk(kind, rest, into)
	case '*', '>', '~', '%', '|':
		return c.readElements(kind, rest, into, depth, elements)
	default:
		return reply, c.protocolError("the server's reply begins with %q, which is not RESP", shown(line))
	}
}

func (c *Conn) readBulk(kind byte, digits, into []byte) (Reply, *Error) {
	const format = len("txt:")
	n, failed := c.length(digits, MaxBulk, "a string of %s bytes")
	if failed != nil {
		return Reply{Text: into[:0]}, failed
	}
	if n == null {
		return Reply{TypeNull, into[:0]}, nil
	}
	text, failed := c.readBody(into, n)
	switch {
	case failed != nil:
	case kind == '!':
		failed = parseError(text)
	case kind == '=':
		text = text[min(format, len(text)):]
	}

	return Reply{TypeString, text}, failed
}

// readElements reads the elements of an array, a set, a map or attributes; after attributes, the
// reply that they belong to. An error among the elements counts as an element.
func (c *Conn) readElements(kind byte, digits, into []byte, depth int, elements *int) (Reply, *Error) {
	n, failed := c.length(digits, MaxElements, "an array of %s elements")
	reply := Reply{Type: TypeArray, Text: into[:0]}
	switch {
	case failed != nil:
		return reply, failed
	case n == null:
		return Reply{TypeNull, into[:0]}, nil
	case kind == '~':
		reply.Type = TypeSet
	case kind == '%', kind == '|':
		reply.Type = TypeMap
		n *= 2
	}
	if depth == maxDepth {
		return reply, c.protocolError("the server's reply has arrays that are nested more than %d deep", maxDepth)
	}
	if *elements += n; *elements > MaxElements {
		return reply, c.protocolError("the server's reply has more than %d elements", MaxElements)
	}
	for range n {
		element, failed := c.readNested(reply.Text, depth+1, elements)
		if reply.Text = element.Text[:0]; failed != nil && c.Failed != nil {
			return reply, failed
		}
	}
	if kind == '|' {
		return c.readNested(reply.Text, depth+1, elements)
	}

	return reply, nil
}

func isInteger(text []byte) bool {
	_, ok := number(bytes.TrimPrefix(text, []byte("-")))

	return ok
}
