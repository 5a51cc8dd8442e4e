package wire

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// cursor goes over the fields of an encoded message
// (https://protobuf.dev/programming-guides/encoding). It keeps to the bytes that are there,
// whatever lengths they tell.
type cursor struct {
	rest []byte
	err  error // why next has returned false before the end

	number protowire.Number
	typ    protowire.Type
	scalar uint64 // of a varint or a fixed number
	bytes  []byte // of all that has a length; not a copy
}

// next goes to the next field, if there is one.
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
	c.err = fmt.Errorf("the reply is no message: %w", protowire.ParseError(n))

	return false
}

// is tells whether the cursor stands on the field. A field of another type than its .proto says
// ends the reading.
func (c *cursor) is(f field) bool {
	if c.number != f.number {
		return false
	}
	if c.typ != f.wireType() {
		c.err = fmt.Errorf("the reply's field %s is not of the type that the .proto has", f.name)

		return false
	}

	return true
}
