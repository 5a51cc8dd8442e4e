package nats

import (
	"slices"

	"github.com/grafana/sobek"
)

// lazyObject is a read-only JavaScript object that makes its properties on demand: most scripts
// read only one or two of a message.
type lazyObject struct {
	of     any // the underlying value
	keys   []string
	make   func(key string) sobek.Value
	values map[string]sobek.Value // made so far
}

func (m *module) lazily(l *lazyObject, prototype *sobek.Object) *sobek.Object {
	object := m.Runtime().NewDynamicObject(l)
	if prototype != nil {
		if err := object.SetPrototype(prototype); err != nil {
			m.Misuse("%s", err)
		}
	}

	return object
}

// Get implements sobek.DynamicObject.
func (l *lazyObject) Get(key string) sobek.Value {
	if v, ok := l.values[key]; ok {
		return v
	}
	if !l.Has(key) {
		return nil
	}
	v := l.make(key)
	if v == nil {
		v = sobek.Undefined()
	}
	if l.values == nil {
		l.values = map[string]sobek.Value{}
	}
	l.values[key] = v

	return v
}

// Keys implements sobek.DynamicObject.
func (l *lazyObject) Keys() []string { return l.keys }

// Has implements sobek.DynamicObject.
func (l *lazyObject) Has(key string) bool { return slices.Contains(l.keys, key) }

// Set implements sobek.DynamicObject.
func (*lazyObject) Set(string, sobek.Value) bool { return false }

// Delete implements sobek.DynamicObject.
func (*lazyObject) Delete(string) bool { return false }
