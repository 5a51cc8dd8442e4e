package wire

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// lookup finds fields by name. It keeps the first error, after which all fields are missing ones.
type lookup struct{ err error }

type sort struct {
	noun  string
	list  bool
	kinds []protoreflect.Kind // empty: any but a group, which is not supported
}

//nolint:gochecknoglobals // constants
var (
	numberKinds = []protoreflect.Kind{
		protoreflect.EnumKind,
		protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Uint32Kind, protoreflect.Sfixed32Kind, protoreflect.Fixed32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Uint64Kind, protoreflect.Sfixed64Kind, protoreflect.Fixed64Kind,
	}
	signedKinds = []protoreflect.Kind{
		protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind,
	}
	isText     = sort{noun: "a string", kinds: []protoreflect.Kind{protoreflect.StringKind}}
	isBool     = sort{noun: "a bool", kinds: []protoreflect.Kind{protoreflect.BoolKind}}
	isEnum     = sort{noun: "an enum", kinds: []protoreflect.Kind{protoreflect.EnumKind}}
	isNumber   = sort{noun: "an integer", kinds: numberKinds}
	isMessage  = sort{noun: "a message", kinds: []protoreflect.Kind{protoreflect.MessageKind}}
	isTexts    = sort{noun: "a repeated string", list: true, kinds: isText.kinds}
	isNumbers  = sort{noun: "a repeated integer", list: true, kinds: numberKinds}
	isMessages = sort{noun: "a repeated message", list: true, kinds: isMessage.kinds}
	isAny      = sort{noun: "a single value, not a group"}
)

func (s sort) fits(f protoreflect.FieldDescriptor) bool {
	if s.kinds == nil && f.Kind() == protoreflect.GroupKind {
		return false
	}

	return f.IsList() == s.list && !f.IsMap() && (s.kinds == nil || slices.Contains(s.kinds, f.Kind()))
}

func (l *lookup) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

func (l *lookup) method(
	s protoreflect.ServiceDescriptor, name protoreflect.Name, into *string,
) (request, reply protoreflect.MessageDescriptor) {
	m := s.Methods().ByName(name)
	if m == nil || m.IsStreamingClient() || m.IsStreamingServer() {
		l.fail("the service %s has no unary method %s", s.FullName(), name)

		return nil, nil
	}
	*into = "/" + string(s.FullName()) + "/" + string(name)

	return m.Input(), m.Output()
}

func (l *lookup) find(m protoreflect.MessageDescriptor, name protoreflect.Name, s sort, needed bool) protoreflect.FieldDescriptor {
	if l.err != nil {
		return nil
	}
	f := m.Fields().ByName(name)
	switch {
	case f == nil && needed:
		l.fail("the message %s has no field %s", m.FullName(), name)
	case f != nil && !s.fits(f):
		l.fail("the field %s must be %s", f.FullName(), s.noun)

		return nil
	}

	return f
}

func of(f protoreflect.FieldDescriptor) field {
	if f == nil {
		return field{}
	}

	return field{name: f.FullName(), number: f.Number(), kind: f.Kind(), packed: f.IsPacked()}
}

func (l *lookup) field(m protoreflect.MessageDescriptor, name protoreflect.Name, s sort) field {
	return of(l.find(m, name, s, true))
}

func (l *lookup) optional(m protoreflect.MessageDescriptor, name protoreflect.Name, s sort) field {
	return of(l.find(m, name, s, false))
}

func (l *lookup) message(m protoreflect.MessageDescriptor, name protoreflect.Name) (field, protoreflect.MessageDescriptor) {
	f := l.find(m, name, isMessage, true)
	if f == nil {
		return field{}, nil
	}

	return of(f), f.Message()
}

// The kind of a command is the enum value whose name ends with the payload's.
func (l *lookup) command(m protoreflect.MessageDescriptor, name protoreflect.Name) (command, protoreflect.MessageDescriptor) {
	at, message := l.message(m, name)
	c := command{payload: at}
	kinds := l.find(m, "kind", isEnum, false)
	if kinds == nil {
		return c, message
	}
	number, found := valueNamed(kinds.Enum(), strings.ToUpper(string(name)))
	if !found {
		l.fail("the enum %s has no value that ends with %s", kinds.Enum().FullName(), strings.ToUpper(string(name)))
	}
	c.kind = number

	return c, message
}

// list returns a payload of MxCommandReply: a message whose only repeated message holds the
// results.
func (l *lookup) list(m protoreflect.MessageDescriptor, name protoreflect.Name) (payload, protoreflect.MessageDescriptor) {
	at, message := l.message(m, name)
	if message == nil {
		return payload{}, nil
	}
	var found protoreflect.FieldDescriptor
	for i := range message.Fields().Len() {
		f := message.Fields().Get(i)
		if !isMessages.fits(f) {
			continue
		}
		if found != nil {
			l.fail("the message %s must have one repeated message, the results, but has %s and %s", message.FullName(), found.Name(), f.Name())
		}
		found = f
	}
	if found == nil {
		l.fail("the message %s has no repeated message with the results", message.FullName())

		return payload{}, nil
	}

	return payload{at: at, list: of(found)}, found.Message()
}

func (l *lookup) status(m protoreflect.MessageDescriptor) statusFields {
	f := l.find(m, "protocol_status", isMessage, false)
	if f == nil {
		return statusFields{}
	}
	s := statusFields{at: of(f), message: l.optional(f.Message(), "message", isText)}
	code := l.find(f.Message(), "code", isNumber, true)
	s.code = of(code)
	if code != nil && code.Enum() != nil {
		s.ok, _ = valueNamed(code.Enum(), "OK")
	}

	return s
}

func valueNamed(enum protoreflect.EnumDescriptor, name string) (number int64, found bool) {
	shortest := ""
	for i := range enum.Values().Len() {
		v := enum.Values().Get(i)
		one := strings.ToUpper(string(v.Name()))
		if (one == name || strings.HasSuffix(one, "_"+name)) && (!found || len(one) < len(shortest)) {
			shortest, number, found = one, int64(v.Number()), true
		}
	}

	return number, found
}
