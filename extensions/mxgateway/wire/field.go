package wire

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// field is the number and type of a message's field. The zero value is a missing field, which is
// never written or found.
type field struct {
	name   protoreflect.FullName
	number protowire.Number
	kind   protoreflect.Kind
	packed bool
}

func (f field) wireType() protowire.Type {
	switch f.kind { //nolint:exhaustive // all others are varints
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	default:
		return protowire.VarintType
	}
}

func (f field) appendText(b []byte, text string) []byte {
	if f.number == 0 {
		return b
	}

	return protowire.AppendString(protowire.AppendTag(b, f.number, protowire.BytesType), text)
}

func (f field) appendMessage(b, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, f.number, protowire.BytesType), message)
}

func (f field) appendInt(b []byte, n int64) []byte {
	if f.number == 0 {
		return b
	}

	return f.appendScalar(protowire.AppendTag(b, f.number, f.wireType()), n)
}

func (f field) appendInts(b []byte, list []int64) []byte {
	if !f.packed {
		for _, n := range list {
			b = f.appendInt(b, n)
		}

		return b
	}
	var values []byte
	for _, n := range list {
		values = f.appendScalar(values, n)
	}

	return f.appendMessage(b, values)
}

func (f field) appendScalar(b []byte, n int64) []byte {
	switch f.wireType() { //nolint:exhaustive // integers have no other type
	case protowire.Fixed32Type:
		return protowire.AppendFixed32(b, uint32(n))
	case protowire.Fixed64Type:
		return protowire.AppendFixed64(b, uint64(n))
	default:
		if f.kind == protoreflect.Sint32Kind || f.kind == protoreflect.Sint64Kind {
			return protowire.AppendVarint(b, protowire.EncodeZigZag(n))
		}

		return protowire.AppendVarint(b, uint64(n))
	}
}

func (f field) int(scalar uint64) int64 {
	switch f.kind { //nolint:exhaustive // other types stay unchanged
	case protoreflect.Sint32Kind, protoreflect.Sint64Kind:
		return protowire.DecodeZigZag(scalar)
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind, protoreflect.EnumKind:
		return int64(int32(scalar))
	default:
		return int64(scalar)
	}
}
