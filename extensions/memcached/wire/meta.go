package wire

import (
	"bytes"
	"strconv"
	"strings"
)

// metaNames are the meta commands of the verbs, with the flags that each needs and the codes of its
// answers: doc/protocol.txt, "Meta Get" and later sections, and memcached 1.6.18.
var metaNames = [...]struct{ name, flags, codes string }{ //nolint:gochecknoglobals // a table
	Get:            {"mg ", " v f", "VA EN"},
	Gets:           {"mg ", " v f c", "VA EN"},
	Gat:            {"mg ", " v f", "VA EN"},
	Gats:           {"mg ", " v f c", "VA EN"},
	Touch:          {"mg ", "", "HD EN"},
	Set:            {"ms ", "", "HD NS"},
	Add:            {"ms ", " ME", "HD NS"},
	Replace:        {"ms ", " MR", "HD NS"},
	Append:         {"ms ", " MA", "HD NS"},
	Prepend:        {"ms ", " MP", "HD NS"},
	CompareAndSwap: {"ms ", "", "HD NS EX NF"},
	Delete:         {"md ", "", "HD NF"},
	Increment:      {"ma ", " v", "VA NF"},
	Decrement:      {"ma ", " v MD", "VA NF"},
	MetaGet:        {"mg ", "", "HD VA EN"},
	MetaSet:        {"ms ", "", "HD NS EX NF"},
	MetaDelete:     {"md ", "", "HD NF EX"},
	MetaArithmetic: {"ma ", "", "HD VA NF NS EX"},
}

func (c *Conn) writeMeta(q *Request) *Error {
	storing := q.Verb.shape() == storing
	b := append(c.line(), metaNames[q.Verb].name...)
	plain := isPlain(q.Key)
	if plain {
		b = append(b, q.Key...)
	} else {
		b = appendBase64(b, q.Key)
	}
	if storing {
		b = appendSpaced(b, int64(len(q.Value)))
	}
	if !plain {
		b = append(b, " b"...)
	}
	b = append(b, metaNames[q.Verb].flags...)
	if q.Verb.isMeta() {
		if len(q.Meta) > 0 {
			b = append(b, ' ')
			b = append(b, q.Meta...)
		}
	} else {
		b = appendMetaFlags(b, q)
		c.sent++
		b = strconv.AppendUint(append(b, " O"...), uint64(c.sent), 10)
	}
	if err := c.writeLine(b); err != nil || !storing {
		return err
	}

	return c.writeValue(q.Value)
}

func appendMetaFlags(b []byte, q *Request) []byte {
	switch q.Verb { //nolint:exhaustive // other verbs have no numbers
	case Gat, Gats, Touch:
		return strconv.AppendInt(append(b, " T"...), int64(q.Expire), 10)
	case Increment, Decrement:
		return strconv.AppendUint(append(b, " D"...), q.Delta, 10)
	case Set, Add, Replace, CompareAndSwap, Append, Prepend:
		if q.Verb == CompareAndSwap {
			b = strconv.AppendUint(append(b, " C"...), q.CAS, 10)
		}
		if q.Flags != 0 {
			b = strconv.AppendUint(append(b, " F"...), uint64(q.Flags), 10)
		}
		if q.Expire != 0 {
			b = strconv.AppendInt(append(b, " T"...), int64(q.Expire), 10)
		}
	}

	return b
}

func (c *Conn) readMeta(q *Request, a *Reply) *Error {
	if !q.Verb.isMeta() {
		c.read++
	}
	line, err := c.readAnswer(q.Verb)
	if err != nil {
		return err
	}
	head, ok := parseMeta(line)
	if !ok || !head.answers(q.Verb) || !c.take(q, a, head.flags) {
		return c.fail(unexpected(line))
	}
	a.Status, a.HasValue = head.status, head.hasValue
	if !head.hasValue {
		return nil
	}
	if err := c.checkSize(head.size); err != nil {
		return err
	}
	if a.Value, err = c.readValue(a.Value, int(head.size)); err != nil {
		return err
	}
	if q.Verb == Increment || q.Verb == Decrement {
		if a.Number, ok = parseNumber(a.Value); !ok {
			return c.fail(unexpected(a.Value))
		}
	}

	return nil
}

// take returns false if the flags do not fit the request.
func (c *Conn) take(q *Request, a *Reply, flags []byte) bool {
	if q.Verb.isMeta() {
		a.Meta = append(a.Meta[:0], flags...)

		return true
	}
	numbered := false
	for len(flags) > 0 {
		var flag []byte
		if flag, flags = nextWord(flags); len(flag) == 0 {
			return false
		}
		ok := true
		switch flag[0] {
		case 'O':
			var n uint64
			n, ok = parseNumber(flag[1:])
			ok = ok && !numbered && n == uint64(c.read)
			numbered = true
		case 'f':
			a.Flags, ok = parseFlags(flag[1:])
		case 'c':
			a.CAS, ok = parseNumber(flag[1:])
		}
		if !ok {
			return false
		}
	}

	return numbered
}

type metaHead struct {
	code     [2]byte
	status   Status
	hasValue bool
	size     uint64
	flags    []byte
}

func parseMeta(line []byte) (h metaHead, ok bool) {
	code, rest := nextWord(line)
	if len(code) != len(h.code) {
		return h, false
	}
	h.code = [2]byte(code)
	switch string(code) {
	case "HD":
		h.status = OK
	case "VA":
		h.status, h.hasValue = OK, true
		var size []byte
		size, rest = nextWord(rest)
		if h.size, ok = parseNumber(size); !ok {
			return h, false
		}
	case "EN", "NF":
		h.status = NotFound
	case "NS":
		h.status = NotStored
	case "EX":
		h.status = Exists
	default:
		return h, false
	}
	h.flags = bytes.TrimSuffix(rest, []byte(" "))

	return h, true
}

func (h *metaHead) answers(verb Verb) bool {
	return strings.Contains(metaNames[verb].codes, string(h.code[:]))
}
