package wire

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Counts counts the results of a ReadBulk.
type Counts struct {
	Results int // one for each tag, including failed ones
	Cached  int // cached results among the successful ones
	Failed  int
}

func (c *Counts) add(successful, cached bool) {
	c.Results++
	switch {
	case !successful:
		c.Failed++
	case cached:
		c.Cached++
	}
}

// Add counts a result.
func (c *Counts) Add(r *Result) { c.add(r.Successful, r.Cached) }

// counted has the numbers of the fields that a countReply reads; 0 for a missing field.
type counted struct {
	status, code, hresult, payload, list, successful, cached protowire.Number
	ok                                                       uint64
}

// countReply counts the results of a ReadBulk without decoding the message, which it does only if
// the reply seems to say that the command failed.
type countReply struct {
	schema *Schema
	counts Counts
	there  bool
	size   int
	failed protoreflect.Message // nil: it did not
}

func (r *countReply) read(raw []byte) error {
	f := &r.schema.counted
	r.counts, r.there, r.size, r.failed = Counts{}, false, len(raw), nil
	failed := false
	c := cursor{rest: raw}
	for c.next() {
		switch {
		case c.number == f.payload && c.typ == protowire.BytesType:
			r.there = true
			if !r.results(c.bytes) {
				return errNoMessage
			}
		case c.number == f.status:
			status, code := cursor{rest: c.bytes}, uint64(0)
			for status.next() {
				if status.number == f.code {
					code = status.scalar
				}
			}
			failed = failed || status.broken || code != f.ok
		case c.number == f.hresult:
			failed = failed || c.typ != protowire.VarintType || c.scalar != 0
		}
	}
	if c.broken {
		return errNoMessage
	}
	if failed {
		m := dynamicpb.NewMessage(r.schema.invoke.out)
		r.failed = m

		return messageReply{m}.read(raw)
	}

	return nil
}

func (r *countReply) results(raw []byte) bool {
	f := &r.schema.counted
	c := cursor{rest: raw}
	for c.next() {
		if c.number != f.list || c.typ != protowire.BytesType {
			continue
		}
		var successful, cached bool
		item := cursor{rest: c.bytes}
		for item.next() {
			switch {
			case item.typ != protowire.VarintType:
			case item.number == f.successful:
				successful = item.scalar != 0
			case item.number == f.cached:
				cached = item.scalar != 0
			}
		}
		if item.broken {
			return false
		}
		r.counts.add(successful, cached)
	}

	return !c.broken
}

// cursor iterates over the fields of an encoded message
// (https://protobuf.dev/programming-guides/encoding). It never reads past the bytes, whatever
// lengths they contain.
type cursor struct {
	rest   []byte
	broken bool

	number protowire.Number
	typ    protowire.Type
	scalar uint64 // value of a varint
	bytes  []byte // bytes of any type with a length; not a copy
}

func (c *cursor) next() bool {
	if len(c.rest) == 0 {
		return false
	}
	number, typ, n := protowire.ConsumeTag(c.rest)
	if c.broken = n < 0; c.broken {
		return false
	}
	c.rest = c.rest[n:]
	c.number, c.typ, c.scalar, c.bytes = number, typ, 0, nil
	switch typ { //nolint:exhaustive // others are skipped
	case protowire.VarintType:
		c.scalar, n = protowire.ConsumeVarint(c.rest)
	case protowire.BytesType:
		c.bytes, n = protowire.ConsumeBytes(c.rest)
	default:
		n = protowire.ConsumeFieldValue(number, typ, c.rest)
	}
	if c.broken = n < 0; c.broken {
		return false
	}
	c.rest = c.rest[n:]

	return true
}
