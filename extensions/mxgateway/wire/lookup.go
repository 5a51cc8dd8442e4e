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

func (l *lookup) method(s protoreflect.ServiceDescriptor, name protoreflect.Name) method {
	m := s.Methods().ByName(name)
	if m == nil || m.IsStreamingClient() || m.IsStreamingServer() {
		l.fail("the service %s has no unary method %s", s.FullName(), name)

		return method{}
	}

	return method{"/" + string(s.FullName()) + "/" + string(name), m.Input(), m.Output()}
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

func (l *lookup) need(m protoreflect.MessageDescriptor, s sort, names ...protoreflect.Name) {
	for _, name := range names {
		l.find(m, name, s, true)
	}
}

func (l *lookup) allow(m protoreflect.MessageDescriptor, s sort, names ...protoreflect.Name) {
	for _, name := range names {
		l.find(m, name, s, false)
	}
}

func (l *lookup) message(m protoreflect.MessageDescriptor, name protoreflect.Name) protoreflect.MessageDescriptor {
	f := l.find(m, name, isMessage, true)
	if f == nil {
		return nil
	}

	return f.Message()
}

// command returns a payload of MxCommand. Its kind is the enum value whose name ends with the
// payload's.
func (l *lookup) command(
	m protoreflect.MessageDescriptor, name protoreflect.Name, kinds map[protoreflect.Name]int64,
) protoreflect.MessageDescriptor {
	message := l.message(m, name)
	kind := l.find(m, "kind", isEnum, false)
	if kind == nil {
		return message
	}
	number, found := valueNamed(kind.Enum(), strings.ToUpper(string(name)))
	if !found {
		l.fail("the enum %s has no value that ends with %s", kind.Enum().FullName(), strings.ToUpper(string(name)))
	}
	kinds[name] = number

	return message
}

// list returns the only repeated message, which holds the results, of a payload of MxCommandReply.
func (l *lookup) list(m protoreflect.MessageDescriptor, name protoreflect.Name) (found protoreflect.FieldDescriptor) {
	message := l.message(m, name)
	if message == nil {
		return nil
	}
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
	}

	return found
}

// status returns the code of success of a reply's ProtocolStatus.
func (l *lookup) status(m protoreflect.MessageDescriptor) (ok int64) {
	f := l.find(m, "protocol_status", isMessage, false)
	if f == nil {
		return 0
	}
	l.allow(f.Message(), isText, "message")
	if code := l.find(f.Message(), "code", isNumber, true); code != nil && code.Enum() != nil {
		ok, _ = valueNamed(code.Enum(), "OK")
	}

	return ok
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
