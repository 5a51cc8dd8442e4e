package nats

import (
	"slices"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// maxElements bounds what one call does.
const maxElements = k6glue.MaxElements

// bytesOf returns the bytes of a string (as UTF-8), an ArrayBuffer, a typed array or a DataView (their own memory). Undefined and null
// have none.
func (m *module) bytesOf(value sobek.Value) ([]byte, error) {
	switch v := value.(type) {
	case sobek.String:
		return []byte(v.String()), nil
	case *sobek.Object:
		if bytes, ok := k6glue.Bytes(m.vu.Runtime(), v, nil); ok {
			return bytes, nil
		}
	default:
		if k6glue.IsNullish(value) {
			return nil, nil
		}
	}

	return nil, misuse("the data must be a string or binary, not %s", k6glue.Show(value))
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

	return "", misuse("%s must be a string that is not empty, not %s", what, k6glue.Show(value))
}

// elements are those of an array.
func elements(what string, value sobek.Value) ([]sobek.Value, error) {
	values, err := k6glue.Elements(what, value)
	if err != nil {
		return nil, misuse("%s", err)
	}

	return values, nil
}

// number makes a number of 64 bits without a sign: beyond 2^53 - 1 a BigInt.
func (m *module) number(n uint64) sobek.Value { return k6glue.FromUnsigned(m.vu.Runtime(), n) }

// unsigned reads a number of 64 bits without a sign: a whole number or a BigInt.
func unsigned(what string, value sobek.Value) (uint64, error) {
	n, ok := k6glue.Unsigned(value)
	if !ok {
		return 0, misuse("%s must be an integer from 0 or a BigInt, not %s", what, k6glue.Show(value))
	}

	return n, nil
}

// count reads how many of something are asked for.
func count(what string, value sobek.Value) (int, error) {
	n, err := unsigned(what, value)
	if err != nil || n == 0 || n > maxElements {
		return 0, misuse("%s must be an integer from 1 to %d, not %s", what, maxElements, k6glue.Show(value))
	}

	return int(n), nil
}

// duration reads a time as k6 writes it: a number of milliseconds, or a text such as 5s. Undefined and null are the fallback.
func duration(what string, value sobek.Value, fallback time.Duration) (time.Duration, error) {
	if k6glue.IsNullish(value) {
		return fallback, nil
	}
	d, ok := k6glue.DurationOf(value)
	if !ok || d < 0 {
		return 0, misuse(`%s must be a number of milliseconds or a text such as "5s", not %s`, what, k6glue.Show(value))
	}

	return d, nil
}

// header reads an object of names and values, each a string or an array of strings.
func header(value sobek.Value) (natsio.Header, error) {
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Object" {
		return nil, misuse("the headers must be an object such as { name: 'value' }, not %s", k6glue.Show(value))
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
				return nil, misuse("header %s must be a string or an array of strings, not %s", name, k6glue.Show(v))
			}
			h[name] = append(h[name], s.String())
		}
	}

	return h, nil
}
