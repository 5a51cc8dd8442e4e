package nats

import (
	"slices"

	"github.com/grafana/sobek"
)

// lazy is a JavaScript object that cannot be changed, and whose properties are made when they are asked for: most scripts look at one
// or two of a message's.
type lazy struct {
	of     any // what it shows
	keys   []string
	make   func(key string) sobek.Value
	values map[string]sobek.Value // made already
}

// lazily makes the object, whose methods are those of the prototype.
func (m *module) lazily(l *lazy, prototype *sobek.Object) *sobek.Object {
	object := m.vu.Runtime().NewDynamicObject(l)
	if prototype != nil {
		if err := object.SetPrototype(prototype); err != nil {
			m.throw(misuse("%s", err))
		}
	}

	return object
}

// Get implements sobek.DynamicObject.
func (l *lazy) Get(key string) sobek.Value {
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
func (l *lazy) Keys() []string { return l.keys }

// Has implements sobek.DynamicObject.
func (l *lazy) Has(key string) bool { return slices.Contains(l.keys, key) }

// Set implements sobek.DynamicObject.
func (*lazy) Set(string, sobek.Value) bool { return false }

// Delete implements sobek.DynamicObject.
func (*lazy) Delete(string) bool { return false }
