package wire

import (
	"errors"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

var errNoMessage = errors.New("the reply is not a message")

// messageReply decodes a complete message.
type messageReply struct{ *dynamicpb.Message }

func (r messageReply) read(raw []byte) error {
	if (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(raw, r.Message) != nil {
		return errNoMessage // the reason has no useful text
	}

	return nil
}

func encoded(m proto.Message) []byte {
	raw, _ := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(m) // cannot fail without required fields

	return raw
}

func child(m protoreflect.Message, name protoreflect.Name) protoreflect.Message {
	return m.Mutable(m.Descriptor().Fields().ByName(name)).Message()
}

// set sets a field, if the .proto has it.
func set(m protoreflect.Message, name protoreflect.Name, value any) {
	f := m.Descriptor().Fields().ByName(name)
	switch v := value.(type) {
	case string:
		if f != nil {
			m.Set(f, protoreflect.ValueOfString(v))
		}
	case int64:
		if f != nil {
			m.Set(f, integerOf(f, v))
		}
	case []string:
		list := m.Mutable(f).List()
		for _, one := range v {
			list.Append(protoreflect.ValueOfString(one))
		}
	case []int64:
		list := m.Mutable(f).List()
		for _, one := range v {
			list.Append(integerOf(f, one))
		}
	}
}

func integerOf(f protoreflect.FieldDescriptor, n int64) protoreflect.Value {
	switch f.Kind() { //nolint:exhaustive // the other integers
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(uint64(n))
	default:
		return protoreflect.ValueOfInt64(n)
	}
}

// The functions below return the zero value of a field that the .proto does not have.

func text(m protoreflect.Message, name protoreflect.Name) string {
	if f := m.Descriptor().Fields().ByName(name); f != nil {
		return m.Get(f).String()
	}

	return ""
}

func flag(m protoreflect.Message, name protoreflect.Name) bool {
	f := m.Descriptor().Fields().ByName(name)

	return f != nil && m.Get(f).Bool()
}

func integer(m protoreflect.Message, name protoreflect.Name) int64 {
	f := m.Descriptor().Fields().ByName(name)
	if f == nil {
		return 0
	}
	switch v := m.Get(f); f.Kind() { //nolint:exhaustive // the other integers
	case protoreflect.EnumKind:
		return int64(v.Enum())
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return int64(v.Uint())
	default:
		return v.Int()
	}
}

// failure returns the error that a reply reports. An hresult is COM's: a negative number in 32 bits
// is a failure.
func (s *Schema) failure(m method, reply protoreflect.Message, key string) error {
	if f := m.out.Fields().ByName("protocol_status"); f != nil && reply.Has(f) {
		status := reply.Get(f).Message()
		code, said := integer(status, "code"), oneLine(text(status, "message"), key)
		switch {
		case code != s.ok[m.path] && said != "":
			return Errorf(KindCommand, "the gateway says: %s (protocol status %d)", said, code)
		case code != s.ok[m.path]:
			return Errorf(KindCommand, "the gateway's protocol status is %d", code)
		}
	}
	if m.path == s.invoke.path {
		if hresult := int32(integer(reply, "hresult")); hresult < 0 {
			return Errorf(KindCommand, "the command failed with hresult 0x%08X", uint32(hresult))
		}
	}

	return nil
}
