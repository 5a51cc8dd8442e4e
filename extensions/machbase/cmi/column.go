package cmi

import "fmt"

// Type is the type of a column or of a parameter.
type Type byte

// The types of columns, with the protocol's numbers.
const (
	Short    Type = 0x04
	Varchar  Type = 0x05
	Datetime Type = 0x06
	Integer  Type = 0x08
	Long     Type = 0x0c
	Float    Type = 0x10
	Double   Type = 0x14
	Null     Type = 0x18 // an expression that is always null
	IPv4     Type = 0x20
	IPv6     Type = 0x24
	Char     Type = 0x2d
	Text     Type = 0x31
	Clob     Type = 0x35
	Blob     Type = 0x39
	JSON     Type = 0x3d
	Binary   Type = 0x61
	Ushort   Type = 0x68
	Uinteger Type = 0x6c
	Ulong    Type = 0x70
)

const variable = -1

// Null values as they are encoded in a row. For texts, binary values and null expressions, null has
// no bytes.
const (
	nullShort    = 0x8000
	nullUshort   = 0xffff
	nullInteger  = 0x80000000
	nullUinteger = 0xffffffff
	nullLong     = 0x8000000000000000
	nullUlong    = 0xffffffffffffffff
	nullFloat    = 0x7f7fffff         // the largest float
	nullDouble   = 0x7fefffffffffffff // the largest double
	nullDatetime = 0xffffffffffffffff
)

type shape struct {
	name string
	size int
	null uint64
}

var shapes = map[Type]shape{ //nolint:gochecknoglobals // a constant
	Short: {"short", 2, nullShort}, Ushort: {"ushort", 2, nullUshort},
	Integer: {"integer", 4, nullInteger}, Uinteger: {"uinteger", 4, nullUinteger},
	Long: {"long", 8, nullLong}, Ulong: {"ulong", 8, nullUlong},
	Float: {"float", 4, nullFloat}, Double: {"double", 8, nullDouble},
	Datetime: {"datetime", 8, nullDatetime},
	IPv4:     {name: "ipv4", size: 5}, IPv6: {name: "ipv6", size: 17},
	Varchar: {name: "varchar", size: variable}, Char: {name: "char", size: variable}, Text: {name: "text", size: variable},
	Clob: {name: "clob", size: variable}, JSON: {name: "json", size: variable},
	Binary: {name: "binary", size: variable}, Blob: {name: "blob", size: variable},
	Null: {name: "null"},
}

// String returns the type's name in Machbase's SQL, such as "varchar".
func (t Type) String() string {
	if s, known := shapes[t]; known {
		return s.name
	}

	return fmt.Sprintf("type 0x%02x", byte(t))
}

// IsText reports whether values of this type are text.
func (t Type) IsText() bool {
	switch t { //nolint:exhaustive // the default handles the others
	case Varchar, Char, Text, Clob, JSON:
		return true
	default:
		return false
	}
}

// Column is a column of an answer or of a table, or a parameter (without a name).
type Column struct {
	Name string
	Type Type
	// Size is the maximum length of a text or binary value in bytes, as far as the server reports
	// it; for other types the number of bits.
	Size int

	width int
	null  uint64
}

// The type is in the highest byte, the size in the 28 bits after it.
func describe(name string, description uint64) (Column, error) {
	t := Type(description >> 56)
	s, known := shapes[t]
	if !known {
		return Column{}, protocolError("column %q has an unknown type, 0x%02x", name, byte(t))
	}

	return Column{Name: name, Type: t, Size: int(description >> 28 & (1<<28 - 1)), width: s.size, null: s.null}, nil
}
