package k6x

import (
	"maps"
	"slices"
	"strings"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

// Methods maps names to methods of JavaScript objects. All objects of all VUs share one immutable
// table.
type Methods[T any] map[string]Method[T]

// Method is a method of the object that stands for a T. It does not need `this`, so scripts can
// write const { get } = client.
type Method[T any] = func(of T, call sobek.FunctionCall) sobek.Value

// With returns a table with the methods of both; others take precedence.
func (m Methods[T]) With(others Methods[T]) Methods[T] {
	all := maps.Clone(m)
	maps.Copy(all, others)

	return all
}

// AsyncName returns the name of a method's asynchronous form: asyncGet for get.
func AsyncName(name string) string { return "async" + strings.ToUpper(name[:1]) + name[1:] }

// Put adds the methods to a JavaScript object, in a prototype before its own. `instanceof` keeps
// working.
func (m Methods[T]) Put(rt *sobek.Runtime, object *sobek.Object, of T) {
	prepend(rt, object, m.Prototype(rt, of))
}

func prepend(rt *sobek.Runtime, object, prototype *sobek.Object) {
	must(rt, prototype.SetPrototype(object.Prototype()))
	must(rt, object.SetPrototype(prototype))
}

// Object returns a new JavaScript object with the methods.
func (m Methods[T]) Object(rt *sobek.Runtime, of T) *sobek.Object {
	return rt.CreateObject(m.Prototype(rt, of))
}

// Prototype returns a prototype with the methods. A missing method that is near to another, and
// that the object's own prototype lacks, is a function that throws a hint.
func (m Methods[T]) Prototype(rt *sobek.Runtime, of T) (prototype *sobek.Object) {
	prototype = rt.NewDynamicObject(&lateObject{keys: m.names, create: func(name string) sobek.Value {
		if method, ok := m[name]; ok {
			return newFunction(rt, name, of, method)
		}
		instead, behind := m.instead(name), prototype.Prototype()
		if instead == "" || behind != nil && behind.Get(name) != nil {
			return nil
		}

		return newFunction(rt, name, of, func(T, sobek.FunctionCall) sobek.Value { panic(noMethod(rt, name, instead)) })
	}})

	return prototype
}

// newFunction returns a method's JavaScript function. Its Go type is the cheapest to call from
// JavaScript: 97 ns, against 230 ns by reflection.
func newFunction[T any](rt *sobek.Runtime, name string, of T, method Method[T]) sobek.Value {
	return named(rt, name, func(call sobek.FunctionCall) sobek.Value {
		defer throwCrash(rt)

		return method(of, call)
	})
}

func (m Methods[T]) names() []string { return slices.Sorted(maps.Keys(m)) }

// lateObject is a read-only JavaScript object. It creates each property on first use, because a
// function takes 700 bytes to 2 kB. `in` and loops see its keys only.
type lateObject struct {
	keys    func() []string
	create  func(name string) sobek.Value
	created map[string]sobek.Value
}

func (o *lateObject) Get(name string) sobek.Value {
	if value, ok := o.created[name]; ok {
		return value
	}
	value := o.create(name)
	if value != nil {
		if o.created == nil {
			o.created = map[string]sobek.Value{}
		}
		o.created[name] = value
	}

	return value
}

func (o *lateObject) Has(name string) bool { return slices.Contains(o.keys(), name) }

func (o *lateObject) Keys() []string { return o.keys() }

func (*lateObject) Set(string, sobek.Value) bool { return false }

func (*lateObject) Delete(string) bool { return false }

// silent are names that JavaScript engines and tools probe for.
var silent = []string{"then", "toJSON", "constructor", "inspect"} //nolint:gochecknoglobals // a table

// instead returns the method that a script probably means by a missing name, or "".
func (m Methods[T]) instead(name string) string {
	if blocking, is := strings.CutSuffix(name, "Async"); is && blocking != "" {
		if _, has := m[AsyncName(blocking)]; has {
			return AsyncName(blocking)
		}
		if _, has := m[blocking]; has {
			return blocking + ", which has no form that returns a promise"
		}
	}

	return nearName(name, m.names())
}

// nearName returns the known name that a script probably means by a missing name, or "".
func nearName(name string, known []string) string {
	if slices.Contains(silent, name) {
		return ""
	}

	return input.NearestName(name, known)
}

func noMethod(rt *sobek.Runtime, name, instead string) *sobek.Object {
	return NewMisuse(rt, "TypeError", "there is no "+name+" here: use "+instead, map[string]any{"kind": "usage", "code": 0})
}
