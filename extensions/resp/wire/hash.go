package wire

import (
	"bytes"
	"strconv"
)

// Pair is a field of a hash, and its value.
type Pair struct{ Field, Value []byte }

// SetHash sets fields of a hash with HSET. With an index it also adds the key to that sorted set
// (ZADD, score 0). Both commands are sent together.
func (c *Conn) SetHash(key []byte, pairs []Pair, index []byte) error {
	if failed := c.begin(); failed != nil {
		return failed
	}
	c.begins("hset", 1+2*len(pairs))
	c.word(key)
	for i := range pairs {
		c.word(pairs[i].Field)
		c.word(pairs[i].Value)
	}
	if index != nil {
		c.command("zadd", index, []byte("0"), key)
	}
	if failed := c.flush(); failed != nil {
		return failed
	}
	first := c.readInteger()
	if index != nil && (first == nil || c.Failed == nil) {
		if second := c.readInteger(); first == nil {
			first = second
		}
	}

	return asError(first)
}

// GetHash calls got with the fields of a hash: all of them (HGETALL), or the given ones (HMGET).
// The arguments of got are valid until it returns. It returns into, which holds the values and may
// have grown.
func (c *Conn) GetHash(key []byte, fields [][]byte, into []byte, got func(field, value []byte)) ([]byte, error) {
	if failed := c.begin(); failed != nil {
		return into, failed
	}
	c.writeGetHash(key, fields)
	if failed := c.flush(); failed != nil {
		return into, failed
	}
	into, failed := c.readHash(fields, into, got)

	return into, asError(failed)
}

func (c *Conn) writeGetHash(key []byte, fields [][]byte) {
	if len(fields) == 0 {
		c.command("hgetall", key)

		return
	}
	c.begins("hmget", 1+len(fields))
	c.word(key)
	for _, field := range fields {
		c.word(field)
	}
}

func (c *Conn) readHash(fields [][]byte, into []byte, got func(field, value []byte)) ([]byte, *Error) {
	kind := byte('*')
	if len(fields) == 0 && c.resp3 {
		kind = '%'
	}
	n, failed := c.readLength(kind, MaxElements/2, "a hash of %s elements")
	if kind == '%' {
		n *= 2
	}
	switch {
	case failed != nil:
		return into, failed
	case len(fields) > 0 && n != len(fields), n < 0, len(fields) == 0 && n%2 != 0:
		return into, c.protocolError("the server sent %d elements of a hash", n)
	}

	return c.readValues(n, into, func(i int, value []byte, found bool) {
		switch {
		case len(fields) > 0 && found:
			got(fields[i], value)
		case len(fields) > 0:
		case i%2 == 0:
			c.field = append(c.field[:0], value...)
		default:
			got(c.field, value)
		}
	})
}

// ScanHashes reads count hashes. Their keys are those in the sorted set index that follow from, in
// order. It gets the keys with ZRANGEBYLEX, then all hashes in a pipeline, and calls next before
// the fields of each hash.
func (c *Conn) ScanHashes(
	index, from []byte, count int, fields [][]byte, into []byte, next func(key []byte), got func(field, value []byte),
) ([]byte, error) {
	keys, failed := c.rangeOf(index, from, count)
	if failed != nil {
		return into, failed
	}
	for len(keys) > 0 {
		// As in a pipeline, no more is sent at a time than the socket buffers hold.
		run := keys[:min(len(keys), runBytes/(overhead*(1+len(fields))))]
		keys = keys[len(run):]
		for _, key := range run {
			c.writeGetHash(key, fields)
		}
		if failed := c.flush(); failed != nil {
			return into, failed
		}
		for _, key := range run {
			var said *Error
			next(key)
			into, said = c.readHash(fields, into, got)
			if c.Failed != nil {
				return into, said
			}
			if failed == nil {
				failed = said
			}
		}
	}

	return into, asError(failed)
}

func (c *Conn) rangeOf(index, from []byte, count int) (keys [][]byte, failed *Error) {
	limit := []byte(strconv.Itoa(count))
	if failed := c.ask("zrangebylex", index, append([]byte("["), from...), []byte("+"), []byte("limit"), []byte("0"), limit); failed != nil {
		return nil, failed
	}
	n, failed := c.readArray()
	if failed != nil {
		return nil, failed
	}
	if n > count {
		return nil, c.protocolError("the server sent %d keys of a range of %d", n, count)
	}
	c.field, failed = c.readValues(n, c.field, func(_ int, key []byte, _ bool) { keys = append(keys, bytes.Clone(key)) })

	return keys, failed
}
