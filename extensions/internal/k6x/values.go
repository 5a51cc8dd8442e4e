package k6x

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grafana/sobek"
)

// Plain converts a Go value to JavaScript. Maps become objects with sorted keys; sobek would order
// them randomly.
func Plain(rt *sobek.Runtime, value any) sobek.Value {
	switch v := value.(type) {
	case map[string]any:
		return plainObject(rt, v)
	case map[string]string:
		return plainObject(rt, v)
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = Plain(rt, v[i])
		}

		return rt.NewArray(all...)
	default:
		return rt.ToValue(value)
	}
}

func plainObject[V any](rt *sobek.Runtime, values map[string]V) sobek.Value {
	object := rt.NewObject()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		must(rt, SetOwn(object, name, Plain(rt, values[name])))
	}

	return object
}

// SetOwn sets a property of any name. Set would treat "__proto__" as the prototype.
func SetOwn(object *sobek.Object, name string, value sobek.Value) error {
	return object.DefineDataProperty(name, value, sobek.FLAG_TRUE, sobek.FLAG_TRUE, sobek.FLAG_TRUE)
}

// IsNullish reports whether an argument is undefined or null.
func IsNullish(value sobek.Value) bool {
	return value == nil || sobek.IsUndefined(value) || sobek.IsNull(value)
}

// Override replaces a default by value, unless value is zero.
func Override[T comparable](into *T, value T) {
	var none T
	if value != none {
		*into = value
	}
}

// BytesOf returns the bytes of a string (UTF-8, using buffer), ArrayBuffer, typed array or DataView
// (sharing memory). ok is false for other values.
func BytesOf(rt *sobek.Runtime, value sobek.Value, buffer []byte) (bytes []byte, ok bool) {
	switch v := value.(type) {
	case sobek.String:
		return append(buffer[:0], v.String()...), true
	case *sobek.Object:
		switch raw := Scalar(v).(type) {
		case sobek.ArrayBuffer:
			return raw.Bytes(), true
		case []byte:
			return raw, true
		default:
			return bytesOfView(rt, v)
		}
	default:
		return nil, false
	}
}

func bytesOfView(rt *sobek.Runtime, view *sobek.Object) (bytes []byte, ok bool) {
	constructor, ok := rt.Get("ArrayBuffer").(*sobek.Object)
	if !ok {
		return nil, false
	}
	isView, ok := sobek.AssertFunction(constructor.Get("isView"))
	if !ok {
		return nil, false
	}
	if answer, err := isView(sobek.Undefined(), view); err != nil || !answer.ToBoolean() {
		return nil, false
	}
	raw, ok := view.Get("buffer").Export().(sobek.ArrayBuffer)
	from, size := view.Get("byteOffset").ToInteger(), view.Get("byteLength").ToInteger()
	if !ok || from < 0 || size < 0 || from > int64(len(raw.Bytes())) || size > int64(len(raw.Bytes()))-from {
		return nil, false
	}

	return raw.Bytes()[from : from+size], true
}

// FromBytes copies bytes into a string or an ArrayBuffer.
func FromBytes(rt *sobek.Runtime, bytes []byte, binary bool) sobek.Value {
	if binary {
		return rt.ToValue(rt.NewArrayBuffer(append([]byte(nil), bytes...)))
	}

	return rt.ToValue(string(bytes))
}

const maxMessage = 300

// OneLine formats a message as one line of limited length.
func OneLine(format string, args ...any) string {
	message := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "..."
	}

	return message
}
