package nats

import (
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/wire"
)

func (c *client) data(method string, value sobek.Value) ([]byte, error) {
	return c.bytes(method, value, &c.scratch)
}

// owned returns a copy of a value's bytes, for promises: the script may change the value.
func (c *client) owned(method string, value sobek.Value) ([]byte, error) {
	var own []byte
	data, err := c.bytes(method, value, &own)
	if _, isText := value.(sobek.String); isText {
		return data, err
	}

	return slices.Clone(data), err
}

func (c *client) bytes(method string, value sobek.Value, buffer *[]byte) ([]byte, error) {
	if k6x.IsNullish(value) {
		return nil, nil
	}

	return k6x.Bytes(c.Runtime(), method, "the data", value, buffer)
}

func (m *module) number(n uint64) sobek.Value { return k6x.FromUnsigned(m.Runtime(), n) }

func (m *module) plainObject(values map[string]any) *sobek.Object {
	return k6x.Plain(m.Runtime(), values).(*sobek.Object) //nolint:forcetypeassert // Plain converts maps to objects
}

func (m *module) stringArray(texts []string) *sobek.Object {
	all := make([]any, len(texts))
	for i, text := range texts {
		all[i] = text
	}

	return m.Runtime().NewArray(all...)
}

func truth(_, _ string, value sobek.Value) (bool, error) { return value.ToBoolean(), nil }

func headers(method, what string, value sobek.Value) (natsio.Header, error) {
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Object" {
		return nil, k6x.Wrong(method, what, "an object such as { name: 'value' }", value)
	}
	h := natsio.Header{}
	for _, name := range object.Keys() {
		if !wire.IsHeaderName(name) {
			return nil, k6x.Misuse("%s: the header name %q must be letters, digits and signs such as - _ .", method, name)
		}
		values := []sobek.Value{object.Get(name)}
		if array, ok := values[0].(*sobek.Object); ok && array.ClassName() == "Array" {
			var err error
			if values, err = k6x.Elements(method, "header "+name, array); err != nil {
				return nil, err
			}
		}
		for _, v := range values {
			s, ok := v.(sobek.String)
			if !ok {
				return nil, k6x.Wrong(method, "header "+name, "a string or an array of strings", v)
			}
			if strings.ContainsAny(s.String(), "\r\n") {
				return nil, k6x.Misuse("%s: header %s has a line break, which would end it", method, name)
			}
			h[name] = append(h[name], s.String())
		}
	}

	return h, nil
}

// The server silently accepts subjects with an empty token or a wildcard, and delivers such
// messages to no one.
func destination(method, what string, value sobek.Value) (string, error) {
	subject, err := k6x.Name(method, what, value)
	if err != nil {
		return "", err
	}
	for token := range strings.SplitSeq(subject, ".") {
		if token == "" || token == "*" || token == ">" || strings.ContainsAny(token, " \t\r\n") {
			return "", k6x.Wrong(method, what, "words with dots between them, without blanks and wildcards", value)
		}
	}

	return subject, nil
}

func wholeSeconds(ttl time.Duration) time.Duration {
	return time.Duration(max(k6x.Seconds(ttl), 1)) * time.Second
}
