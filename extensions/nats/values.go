package nats

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"
	"go.k6.io/k6/v2/lib/types"
)

const maxSafeInteger = 1<<53 - 1

// maxElements bounds what one call does: an array can say that it is longer than there is memory.
const maxElements = 1_000_000

func isNullish(value sobek.Value) bool {
	return value == nil || sobek.IsUndefined(value) || sobek.IsNull(value)
}

// bytesOf returns the bytes of a string (as UTF-8), an ArrayBuffer, a typed array or a DataView (their own memory). Undefined and null
// have none.
func (m *module) bytesOf(value sobek.Value) ([]byte, error) {
	switch v := value.(type) {
	case sobek.String:
		return []byte(v.String()), nil
	case *sobek.Object:
		switch raw := v.Export().(type) {
		case sobek.ArrayBuffer:
			return raw.Bytes(), nil
		case []byte: // Uint8Array
			return raw, nil
		}
		if bytes, ok := m.bytesOfView(v); ok {
			return bytes, nil
		}
	default:
		if isNullish(value) {
			return nil, nil
		}
	}

	return nil, misuse("the data must be a string or binary, not %s", value.String())
}

// bytesOfView returns the bytes that a typed array or a DataView shows.
func (m *module) bytesOfView(view *sobek.Object) (bytes []byte, ok bool) {
	rt := m.vu.Runtime()
	isView, ok := sobek.AssertFunction(rt.Get("ArrayBuffer").ToObject(rt).Get("isView"))
	if !ok {
		return nil, false
	}
	if answer, err := isView(sobek.Undefined(), view); err != nil || !answer.ToBoolean() {
		return nil, false
	}
	raw, ok := view.Get("buffer").Export().(sobek.ArrayBuffer)
	from, size := view.Get("byteOffset").ToInteger(), view.Get("byteLength").ToInteger()
	if !ok || from < 0 || size < 0 || from+size > int64(len(raw.Bytes())) {
		return nil, false
	}

	return raw.Bytes()[from : from+size], true
}

// data returns the bytes of a value for a call that does not keep them.
func (c *client) data(value sobek.Value) ([]byte, error) {
	if s, ok := value.(sobek.String); ok {
		c.scratch = append(c.scratch[:0], s.String()...)

		return c.scratch, nil
	}

	return c.bytesOf(value)
}

// owned returns a copy of a value's bytes: the script may change them while a promise is not settled yet.
func (c *client) owned(value sobek.Value) ([]byte, error) {
	data, err := c.bytesOf(value)
	if _, isText := value.(sobek.String); isText {
		return data, err
	}

	return slices.Clone(data), err
}

// text reads a string that an argument must be.
func text(what string, value sobek.Value) (string, error) {
	if s, ok := value.(sobek.String); ok && s.Length() > 0 {
		return s.String(), nil
	}

	return "", misuse("%s must be a string that is not empty, not %s", what, value.String())
}

// elements are those of an array.
func elements(what string, value sobek.Value) ([]sobek.Value, error) {
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Array" {
		return nil, misuse("%s must be an array, not %s", what, value.String())
	}
	n := object.Get("length").ToInteger()
	if n > maxElements {
		return nil, misuse("%s has %d elements: at most %d are allowed", what, n, maxElements)
	}
	values := make([]sobek.Value, n)
	for i := range values {
		if values[i] = object.Get(strconv.Itoa(i)); values[i] == nil {
			values[i] = sobek.Undefined()
		}
	}

	return values, nil
}

// number makes a number of 64 bits without a sign: beyond 2^53 - 1 a BigInt.
func (m *module) number(n uint64) sobek.Value {
	if n <= maxSafeInteger {
		return m.vu.Runtime().ToValue(int64(n))
	}

	return m.vu.Runtime().ToValue(new(big.Int).SetUint64(n))
}

// unsigned reads a number of 64 bits without a sign: a whole number or a BigInt.
func unsigned(what string, value sobek.Value) (uint64, error) {
	switch v := value.Export().(type) {
	case int64:
		if v >= 0 {
			return uint64(v), nil
		}
	case float64:
		if v >= 0 && v <= maxSafeInteger && v == math.Trunc(v) {
			return uint64(v), nil
		}
	case *big.Int:
		if v.IsUint64() {
			return v.Uint64(), nil
		}
	}

	return 0, misuse("%s must be a whole number from 0 or a BigInt, not %s", what, value.String())
}

// count reads how many of something are asked for.
func count(what string, value sobek.Value) (int, error) {
	n, err := unsigned(what, value)
	if err != nil || n == 0 || n > maxElements {
		return 0, misuse("%s must be a whole number from 1 to %d, not %s", what, maxElements, value.String())
	}

	return int(n), nil
}

// duration reads a time as k6 writes it: a number of milliseconds, or a text such as 5s. Undefined and null are the fallback.
func duration(what string, value sobek.Value, fallback time.Duration) (time.Duration, error) {
	if isNullish(value) {
		return fallback, nil
	}
	d, err := types.GetDurationValue(value.Export())
	if err != nil || d < 0 {
		return 0, misuse(`%s must be a number of milliseconds or a text such as "5s", not %s`, what, value.String())
	}

	return d, nil
}

// header reads an object of names and values, each a string or an array of strings.
func header(value sobek.Value) (natsio.Header, error) {
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Object" {
		return nil, misuse("the headers must be an object such as { name: 'value' }, not %s", value.String())
	}
	h := natsio.Header{}
	for _, name := range object.Keys() {
		values := []sobek.Value{object.Get(name)}
		if array, ok := values[0].(*sobek.Object); ok && array.ClassName() == "Array" {
			var err error
			if values, err = elements("header "+name, array); err != nil {
				return nil, err
			}
		}
		for _, v := range values {
			s, ok := v.(sobek.String)
			if !ok {
				return nil, misuse("header %s must be a string or an array of strings, not %s", name, v.String())
			}
			h[name] = append(h[name], s.String())
		}
	}

	return h, nil
}
