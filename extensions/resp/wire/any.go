package wire

import (
	"bytes"
)

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
