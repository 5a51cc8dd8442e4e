package k6glue

import (
	"maps"
	"slices"
	"strings"

	"github.com/grafana/sobek"
)

// Methods are those of one kind of JavaScript objects, by name. One table, which never changes,
// serves all objects of all VUs.
type Methods[T any] map[string]Method[T]

// Method is what one of them does with the T that its object stands for. It knows that T without
// `this`, so that scripts can write const { get } = client.
type Method[T any] = func(of T, call sobek.FunctionCall) sobek.Value

// With returns a table of the methods and of others. A name that both have is that of the other
// one.
func (m Methods[T]) With(others Methods[T]) Methods[T] {
	all := maps.Clone(m)
	maps.Copy(all, others)

	return all
}

// AsyncName is the name of the form of an operation that returns a promise: asyncGet beside get,
// which blocks.
func AsyncName(name string) string { return "async" + strings.ToUpper(name[:1]) + name[1:] }

// Put gives a JavaScript object the methods, by a prototype before the one that it has:
// `instanceof` says the same as before.
func (m Methods[T]) Put(rt *sobek.Runtime, object *sobek.Object, of T) {
	prototype := m.Prototype(rt, of)
	must(rt, prototype.SetPrototype(object.Prototype()))
	must(rt, object.SetPrototype(prototype))
}

// Object makes a JavaScript object with the methods.
func (m Methods[T]) Object(rt *sobek.Runtime, of T) *sobek.Object {
	return rt.CreateObject(m.Prototype(rt, of))
}

// Prototype makes the prototype of an object with the methods. Their functions are made when they
// are asked for first: a function takes some 700 bytes, and most scripts use two or three of a
// client's many methods.
func (m Methods[T]) Prototype(rt *sobek.Runtime, of T) *sobek.Object {
	p := &prototype[T]{runtime: rt, methods: m, of: of}
	p.object = rt.NewDynamicObject(p)

	return p.object
}

// names are those of the methods, sorted.
func (m Methods[T]) names() []string { return slices.Sorted(maps.Keys(m)) }

// prototype is the JavaScript object that has the methods. Scripts cannot change it: what they
// assign becomes their object's own.
type prototype[T any] struct {
	runtime *sobek.Runtime
	methods Methods[T]
	of      T
	made    map[string]sobek.Value
	// object is this prototype, as JavaScript has it.
	object *sobek.Object
	// others are functions in place of methods that there are not, which throw what to write
	// instead; nil where nothing is known.
	others map[string]sobek.Value
}

// Get implements sobek.DynamicObject.
func (p *prototype[T]) Get(name string) sobek.Value {
	if function, ok := p.made[name]; ok {
		return function
	}
	method, ok := p.methods[name]
	if !ok {
		return p.other(name)
	}
	if p.made == nil {
		p.made = map[string]sobek.Value{}
	}
	p.made[name] = p.function(name, method)

	return p.made[name]
}

// maxOthers is how many names are remembered that are no method's: scripts may ask for any.
const maxOthers = 100

// other is the function that throws what to write instead of a method that there is not; nil where
// that is not known, or what stands behind has one of the name. `in` and Object.keys have none.
func (p *prototype[T]) other(name string) sobek.Value {
	function, known := p.others[name]
	if !known {
		if write := p.methods.otherName(name); write != "" {
			function = p.function(name, func(T, sobek.FunctionCall) sobek.Value { panic(noMethod(p.runtime, name, write)) })
		}
		if p.others == nil {
			p.others = map[string]sobek.Value{}
		}
		if len(p.others) < maxOthers {
			p.others[name] = function
		}
	}
	if behind := p.object.Prototype(); function != nil && behind != nil && behind.Get(name) != nil {
		return nil
	}

	return function
}

// function makes the JavaScript function of a method, with the name that scripts and their stack
// traces know it by. Its form is the cheapest in which Go can be called from JavaScript: 97 ns,
// where a function found by reflection costs 230 and a method of a reflected struct 1540.
func (p *prototype[T]) function(name string, method Method[T]) sobek.Value {
	of, runtime := p.of, p.runtime
	function := runtime.ToValue(func(call sobek.FunctionCall) sobek.Value {
		defer throwCrash(runtime)

		return method(of, call)
	}).ToObject(runtime)
	setName(runtime, function, name)

	return function
}

// Has implements sobek.DynamicObject.
func (p *prototype[T]) Has(name string) bool {
	_, ok := p.methods[name]

	return ok
}

// Keys implements sobek.DynamicObject.
func (p *prototype[T]) Keys() []string { return p.methods.names() }

// Set implements sobek.DynamicObject.
func (*prototype[T]) Set(string, sobek.Value) bool { return false }

// Delete implements sobek.DynamicObject.
func (*prototype[T]) Delete(string) bool { return false }
