package wire

import (
	"bytes"
	"strconv"
)

var textNames = [...]string{ //nolint:gochecknoglobals // a table
	Get: "get ", Gets: "gets ", Gat: "gat ", Gats: "gats ", Touch: "touch ",
	Set: "set ", Add: "add ", Replace: "replace ", Append: "append ", Prepend: "prepend ", CompareAndSwap: "cas ",
	Delete: "delete ", Increment: "incr ", Decrement: "decr ",
	Flush: "flush_all ", Version: "version", Noop: "mn",
}

var lineEnd = []byte("\r\n") //nolint:gochecknoglobals // a constant

func (c *Conn) writeText(q *Request) *Error {
	b := append(c.line(), textNames[q.Verb]...)
	switch q.Verb { //nolint:exhaustive // other verbs have at most a key
	case Gat, Gats:
		b = strconv.AppendInt(b, int64(q.Expire), 10)
		b = append(b, ' ')
		b = append(b, q.Key...)
	case Touch:
		b = append(b, q.Key...)
		b = appendSpaced(b, int64(q.Expire))
	case Increment, Decrement:
		b = append(b, q.Key...)
		b = append(b, ' ')
		b = strconv.AppendUint(b, q.Delta, 10)
	case Flush:
		b = strconv.AppendInt(b, int64(q.Expire), 10)
	case Version, Noop:
	default:
		b = append(b, q.Key...)
	}
	if q.Verb.shape() != storing {
		return c.writeLine(b)
	}

	b = appendSpaced(b, int64(q.Flags))
	b = appendSpaced(b, int64(q.Expire))
	b = appendSpaced(b, int64(len(q.Value)))
	if q.Verb == CompareAndSwap {
		b = append(b, ' ')
		b = strconv.AppendUint(b, q.CAS, 10)
	}
	if err := c.writeLine(b); err != nil {
		return err
	}

	return c.writeValue(q.Value)
}

func appendSpaced(b []byte, n int64) []byte { return strconv.AppendInt(append(b, ' '), n, 10) }

func (c *Conn) line() []byte { return c.head[:0] }

func (c *Conn) writeLine(b []byte) *Error {
	b = append(b, "\r\n"...)
	c.head = b
	if _, err := c.w.Write(c.head); err != nil {
		return c.fail(c.broken(err))
	}

	return nil
}

func (c *Conn) writeValue(value []byte) *Error {
	if _, err := c.w.Write(value); err != nil {
		return c.fail(c.broken(err))
	}
	if _, err := c.w.Write(lineEnd); err != nil {
		return c.fail(c.broken(err))
	}

	return nil
}

func (c *Conn) flush() *Error {
	if err := c.w.Flush(); err != nil {
		return c.fail(c.closeReason(c.broken(err)))
	}

	return nil
}

func (c *Conn) closeReason(err *Error) *Error {
	if err.Kind != KindConnection || c.Ended() {
		return err
	}
	line, readErr := c.r.ReadSlice('\n')
	if said, _ := refusal(bytes.TrimRight(line, "\r\n"), Get); readErr == nil && said != nil && said.Kind == KindBusy {
		return said
	}

	return err
}

func (c *Conn) readText(q *Request, a *Reply) *Error {
	line, err := c.readAnswer(q.Verb)
	if err != nil {
		return err
	}
	if q.Verb.isGet() {
		return c.readTextValue(q, a, line)
	}

	switch q.Verb { //nolint:exhaustive // other verbs are answered by a word
	case Version:
		version, ok := bytes.CutPrefix(line, []byte("VERSION "))
		if !ok {
			return c.fail(unexpected(line))
		}
		a.Value = append(a.Value[:0], version...)
		a.Status = OK

		return nil
	case Increment, Decrement:
		if n, ok := parseNumber(line); ok {
			a.Number, a.Status = n, OK

			return nil
		}
		if string(line) != "NOT_FOUND" {
			return c.fail(unexpected(line))
		}
	}
	if a.Status = textStatus(q.Verb, line); a.Status == 0 {
		return c.fail(unexpected(line))
	}

	return nil
}

// readAnswer returns an error answer as an error.
func (c *Conn) readAnswer(verb Verb) ([]byte, *Error) {
	line, err := c.readLine()
	if err != nil {
		return nil, err
	}
	if refused, inStep := refusal(line, verb); refused != nil {
		if !inStep {
			return nil, c.fail(refused)
		}

		return nil, refused
	}

	return line, nil
}

func textStatus(verb Verb, word []byte) Status {
	storing := verb.shape() == storing
	switch text := string(word); {
	case text == done(verb):
		return OK
	case text == "NOT_STORED" && storing:
		return NotStored
	case text == "EXISTS" && verb == CompareAndSwap:
		return Exists
	case text == "NOT_FOUND" && (verb.shape() == keyed || verb == CompareAndSwap):
		return NotFound
	default:
		return 0
	}
}

func done(verb Verb) string {
	switch verb { //nolint:exhaustive // other verbs store a value
	case Touch:
		return "TOUCHED"
	case Delete:
		return "DELETED"
	case Flush:
		return "OK"
	case Noop:
		return "MN"
	default:
		return "STORED"
	}
}

func (c *Conn) readTextValue(q *Request, a *Reply, line []byte) *Error {
	if string(line) == "END" {
		a.Status = NotFound

		return nil
	}
	key, size, err := c.valueLine(q.Verb, a, line)
	if err != nil {
		return err
	}
	if !bytes.Equal(key, q.Key) {
		return c.fail(unexpected(line))
	}
	if a.Value, err = c.readValue(a.Value, size); err != nil {
		return err
	}
	if line, err = c.readLine(); err != nil {
		return err
	}
	if string(line) != "END" {
		return c.fail(unexpected(line))
	}
	a.Status, a.HasValue = OK, true

	return nil
}

func (c *Conn) valueLine(verb Verb, a *Reply, line []byte) (key []byte, size int, err *Error) {
	rest, ok := bytes.CutPrefix(line, []byte("VALUE "))
	if !ok {
		return nil, 0, c.fail(unexpected(line))
	}
	var flags, length, cas []byte
	key, rest = nextWord(rest)
	flags, rest = nextWord(rest)
	length, rest = nextWord(rest)
	cas, rest = nextWord(rest)

	n, isNumber := parseNumber(length)
	if a.Flags, ok = parseFlags(flags); !ok || !isNumber || len(rest) > 0 {
		return nil, 0, c.fail(unexpected(line))
	}
	if verb == Gets || verb == Gats {
		a.CAS, ok = parseNumber(cas)
	} else {
		ok = len(cas) == 0
	}
	if !ok {
		return nil, 0, c.fail(unexpected(line))
	}

	return key, int(n), c.checkSize(n)
}
