package wire

import (
	"encoding/base64"
	"slices"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Result is a tag's result of a ReadBulk. Fields that the gateway's .proto does not have are nil,
// "" or 0.
type Result struct {
	Tag          string
	Handle       int64
	Successful   bool
	Cached       bool
	Value        any // bool, int64, uint64, float64, string, []any, map[string]any, or nil; a time is a string as in RFC 3339
	Quality      int64
	Timestamp    any
	ErrorMessage string
}

func (s *Schema) resultsOf(payload protoreflect.Message) []Result {
	fields := s.results.Message().Fields()
	value, timestamp := fields.ByName("value"), fields.ByName("source_timestamp")
	list := payload.Get(s.results).List()
	results := make([]Result, list.Len())
	for i := range results {
		m := list.Get(i).Message()
		results[i] = Result{
			Tag: text(m, "tag_address"), Handle: integer(m, "item_handle"), Successful: flag(m, "was_successful"), Cached: flag(m, "was_cached"),
			Quality: integer(m, "quality"), ErrorMessage: oneLine(text(m, "error_message"), ""),
		}
		if value != nil && m.Has(value) {
			results[i].Value = single(value, m.Get(value))
		}
		if timestamp != nil && m.Has(timestamp) {
			results[i].Timestamp = single(timestamp, m.Get(timestamp))
		}
	}

	return results
}

// Item is the result of subscribing to a tag, or of ending that.
type Item struct {
	Tag          string
	Handle       int64
	Successful   bool
	ErrorMessage string
}

func (s *Schema) itemsOf(payload protoreflect.Message) []Item {
	always := s.items.Message().Fields().ByName("was_successful") == nil // without this field, every item was successful
	list := payload.Get(s.items).List()
	items := make([]Item, list.Len())
	for i := range items {
		m := list.Get(i).Message()
		items[i] = Item{
			Tag: text(m, "tag_address"), Handle: integer(m, "item_handle"), Successful: always || flag(m, "was_successful"),
			ErrorMessage: oneLine(text(m, "error_message"), ""),
		}
	}

	return items
}

func single(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch f.Kind() { //nolint:exhaustive // other types stay unchanged
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return message(v.Message())
	case protoreflect.EnumKind:
		if named := f.Enum().Values().ByNumber(v.Enum()); named != nil {
			return string(named.Name())
		}

		return int64(v.Enum())
	case protoreflect.BytesKind:
		return base64.StdEncoding.EncodeToString(v.Bytes())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return v.Int()
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return int64(v.Uint())
	case protoreflect.FloatKind:
		return v.Float()
	default:
		return v.Interface()
	}
}

// timestamp returns the fields of a google.protobuf.Timestamp. ok is false if the .proto uses this
// name for another message.
func timestamp(d protoreflect.MessageDescriptor) (seconds, nanos protoreflect.FieldDescriptor, ok bool) {
	if d.FullName() != "google.protobuf.Timestamp" {
		return nil, nil, false
	}
	seconds, nanos = d.Fields().ByName("seconds"), d.Fields().ByName("nanos")
	isSigned := func(f protoreflect.FieldDescriptor) bool {
		return f != nil && !f.IsList() && slices.Contains(signedKinds, f.Kind())
	}

	return seconds, nanos, isSigned(seconds) && isSigned(nanos)
}

// message converts a time to a string, a message with one oneof to the value in it or nil, and
// other messages to an object.
func message(m protoreflect.Message) any {
	d := m.Descriptor()
	if seconds, nanos, ok := timestamp(d); ok {
		return time.Unix(m.Get(seconds).Int(), m.Get(nanos).Int()).UTC().Format(time.RFC3339Nano)
	}
	if d.Oneofs().Len() == 1 && !d.Oneofs().Get(0).IsSynthetic() && d.Fields().Len() == d.Oneofs().Get(0).Fields().Len() {
		if f := m.WhichOneof(d.Oneofs().Get(0)); f != nil {
			return single(f, m.Get(f))
		}

		return nil
	}
	object := map[string]any{}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap():
		case f.IsList():
			list := make([]any, v.List().Len())
			for i := range list {
				list[i] = single(f, v.List().Get(i))
			}
			object[string(f.Name())] = list
		default:
			object[string(f.Name())] = single(f, v)
		}

		return true
	})

	return object
}
