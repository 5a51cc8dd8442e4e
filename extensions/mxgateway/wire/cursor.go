package wire

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// cursor iterates over the fields of an encoded message
// (https://protobuf.dev/programming-guides/encoding). It never reads past the bytes, whatever
// lengths they contain.
type cursor struct {
	rest []byte
	err  error

	number protowire.Number
	typ    protowire.Type
	scalar uint64 // value of a varint or a fixed number
	bytes  []byte // bytes of any type with a length; not a copy
}

func (c *cursor) next() bool {
	if c.err != nil || len(c.rest) == 0 {
		return false
	}
	number, typ, n := protowire.ConsumeTag(c.rest)
	if n < 0 {
		return c.broken(n)
	}
	c.rest = c.rest[n:]
	c.number, c.typ, c.scalar, c.bytes = number, typ, 0, nil
	switch typ { //nolint:exhaustive // groups are skipped
	case protowire.VarintType:
		c.scalar, n = protowire.ConsumeVarint(c.rest)
	case protowire.BytesType:
		c.bytes, n = protowire.ConsumeBytes(c.rest)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(c.rest)
		c.scalar = uint64(v)
	case protowire.Fixed64Type:
		c.scalar, n = protowire.ConsumeFixed64(c.rest)
	default:
		n = protowire.ConsumeFieldValue(number, typ, c.rest)
	}
	if n < 0 {
		return c.broken(n)
	}
	c.rest = c.rest[n:]

	return true
}

func (c *cursor) broken(n int) bool {
	c.err = fmt.Errorf("the reply is not a message: %w", protowire.ParseError(n))

	return false
}

// A field with another type than in the .proto ends the iteration with an error.
func (c *cursor) is(f field) bool {
	if c.number != f.number {
		return false
	}
	if c.typ != f.wireType() {
		c.err = fmt.Errorf("the reply's field %s has another type than in the .proto", f.name)

		return false
	}

	return true
}
