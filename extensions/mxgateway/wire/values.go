package wire

import (
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
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

// valueReply keeps the results of a BulkReadReply with their values.
type valueReply struct {
	schema  *Schema
	results []Result
}

func (r *valueReply) read(bytes []byte) error {
	list := r.schema.result.payload.list
	c := cursor{rest: bytes}
	for c.next() {
		if !c.is(list) {
			continue
		}
		result, err := r.result(c.bytes)
		if err != nil {
			return err
		}
		r.results = append(r.results, result)
	}

	return c.err
}

func (r *valueReply) result(bytes []byte) (result Result, err error) {
	f := &r.schema.result
	value, timestamp := of(f.value), of(f.timestamp)
	c := cursor{rest: bytes}
	for c.next() {
		switch {
		case c.is(f.tag):
			result.Tag = string(c.bytes)
		case c.is(f.handle):
			result.Handle = f.handle.int(c.scalar)
		case c.is(f.successful):
			result.Successful = c.scalar != 0
		case c.is(f.cached):
			result.Cached = c.scalar != 0
		case c.is(f.quality):
			result.Quality = f.quality.int(c.scalar)
		case c.is(f.errorMessage):
			result.ErrorMessage = oneLine(string(c.bytes), "")
		case c.is(value):
			result.Value, err = c.value(f.value)
		case c.is(timestamp):
			result.Timestamp, err = c.value(f.timestamp)
		}
		if err != nil {
			return result, err
		}
	}

	return result, c.err
}

func (c *cursor) value(f protoreflect.FieldDescriptor) (any, error) {
	encoded := protowire.AppendTag(nil, c.number, c.typ)
	switch c.typ { //nolint:exhaustive // the schema rejects groups
	case protowire.VarintType:
		encoded = protowire.AppendVarint(encoded, c.scalar)
	case protowire.Fixed32Type:
		encoded = protowire.AppendFixed32(encoded, uint32(c.scalar))
	case protowire.Fixed64Type:
		encoded = protowire.AppendFixed64(encoded, c.scalar)
	default:
		encoded = protowire.AppendBytes(encoded, c.bytes)
	}
	m := dynamicpb.NewMessage(f.ContainingMessage())
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(encoded, m); err != nil {
		return nil, fmt.Errorf("the reply's field %s cannot be read: %w", f.FullName(), err)
	}

	return single(f, m.Get(f)), nil
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
